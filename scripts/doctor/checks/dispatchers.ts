import { type FleetMember, readFleet } from "#db/queries/fleet/dispatchers.ts";
import manifest from "#package.json" with { type: "json" };
import { type Check, type Finding, failure, ok, warning } from "../check.ts";

/** A dispatcher corrects its clock by the database's, so this only shows one that is set wrongly. */
const SKEW_MS_MAX = 1_000;

export const dispatchers: Check = {
  name: "dispatchers",
  needs: ["role"],
  run: async ({ read }) => judgeFleet(await read(readFleet), manifest.version),
};

type Member = Pick<FleetMember, "host" | "version" | "isAlive" | "skewMs" | "shards">;

/** `version` is that of this program. */
export function judgeFleet(fleet: readonly Member[], version: string): Finding {
  const alive = fleet.filter(({ isAlive }) => isAlive);
  if (alive.length === 0)
    return failure(
      "none has had a heartbeat within 15 s: nothing is sent",
      "Start one (npm run dispatcher), or look into its log.",
    );
  const silent = fleet.length - alive.length;
  const found = `${alive.length} alive${silent > 0 ? `, ${silent} silent and not stopped in good order within the hour` : ""}`;
  const other = alive.find((member) => member.version !== version);
  if (other)
    return warning(
      `${found}; that on ${other.host} is of version ${other.version}, and this is ${version}`,
      "Update all parts.",
    );
  const skewed = alive.find(({ skewMs }) => Math.abs(skewMs ?? 0) > SKEW_MS_MAX);
  if (skewed)
    return warning(
      `${found}; the clock of ${skewed.host} is ${Math.round(Math.abs(skewed.skewMs ?? 0))} ms off the database's`,
      "Set it by NTP.",
    );
  return ok(found);
}
