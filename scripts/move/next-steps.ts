import { type DatabaseAddress, parseDatabaseAddress } from "#domain/database-address.ts";
import type { Plan } from "./check.ts";
import type { Side } from "./servers.ts";

const keyOf = ({ host, port }: DatabaseAddress["hosts"][number]) => `${host}:${port}`;
const hostsOf = (url: string) => parseDatabaseAddress(url).hosts.map(keyOf);

/** Whether the settings of this shell, which those of the processes are taken to be, name the target too. */
export function namesBoth({ target, serviceUrls }: Plan): boolean {
  return serviceUrls.every((url) => hostsOf(target.url).every((host) => hostsOf(url).includes(host)));
}

const nameOf = ({ url }: Side) => `"${parseDatabaseAddress(url).database.replaceAll('"', '""')}"`;

/** What an operator does after the move, as lines. */
export function nextSteps(source: Side, target: Side): string[] {
  return [
    `1. Set DATABASE_URL, DATABASE_DIRECT_URL and DATABASE_OWNER_URL to ${hostsOf(target.url).join()} alone, and restart the processes one by one.`,
    `2. Keep ${source.name} for as long as you want to look into it. It is read-only, and has what was stored until the flip.`,
    "3. Then turn its server off.",
    "The way back loses what was stored since the flip. Stop all processes, and make the new database read-only and the old one not:",
    `  psql NEW -c 'ALTER DATABASE ${nameOf(target)} SET default_transaction_read_only = on'`,
    `  psql OLD -c 'SET default_transaction_read_only = off' -c 'ALTER DATABASE ${nameOf(source)} RESET default_transaction_read_only'`,
    "Then run npm run reconcile -- --hold with the old address, since it would send again what was sent since, and start the processes with it.",
  ];
}
