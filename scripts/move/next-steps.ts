import { type DatabaseAddress, parseDatabaseAddress } from "#domain/database-address.ts";
import type { Plan } from "./check.ts";
import type { Side } from "./servers.ts";

const keyOf = ({ host, port }: DatabaseAddress["hosts"][number]) => `${host}:${port}`;
const hostsOf = (url: string) => parseDatabaseAddress(url).hosts.map(keyOf);

/** Whether the settings of this shell, which those of the processes are taken to be, name the target too. */
export function namesBoth({ target, serviceUrls }: Plan): boolean {
  return serviceUrls.every((url) => hostsOf(target.url).every((host) => hostsOf(url).includes(host)));
}

/** What an operator does after the move, as lines. */
export function nextSteps(source: Side, target: Side): string[] {
  return [
    `1. Set DATABASE_URL, DATABASE_DIRECT_URL and DATABASE_OWNER_URL to ${hostsOf(target.url).join()} alone, and restart the processes one by one.`,
    `2. Keep ${source.name} for as long as you want to look into it. It is read-only, and has what was stored until the flip.`,
    "3. Then turn its server off.",
    `The way back loses what was stored since the flip: stop all processes, make ${target.name} read-only and ${source.name} not (ALTER DATABASE … SET, and RESET, default_transaction_read_only), run npm run reconcile -- --hold there, since it would send again what was sent since, and start the processes with the old address.`,
  ];
}
