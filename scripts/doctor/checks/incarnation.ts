import { hasPendingWork, type OpenHold, readStanding } from "#db/queries/fleet/standing.ts";
import { describeHold, judgeDatabase, type Standing } from "#domain/incarnation.ts";
import { ago, type Check, type Finding, failure, ok, warning } from "../check.ts";

export const incarnation: Check = {
  name: "incarnation",
  needs: ["role"],
  async run({ read }) {
    const { standing, hold } = await read((sql) => readStanding(sql, null));
    const isPending = judgeDatabase(null, standing) === "restored" && (await read(hasPendingWork));
    return judgeIncarnation({ standing, hold, isPending });
  },
};

/** `isPending`: whether a dispatcher would send something, now or later; asked only of a database that may be a restored one. */
export function judgeIncarnation(facts: { standing: Standing; hold: OpenHold | null; isPending: boolean }): Finding {
  const { standing, hold, isPending } = facts;
  if (hold) return failure(describeHold(hold).replace(/ Run .*/, ""), 'Run "npm run reconcile" and choose.');
  const { current, newest, nowMs } = standing;
  const beat = newest ? `the newest heartbeat is ${ago((nowMs - newest.atMs) / 1_000)} old` : "no heartbeat yet";
  const found = `system ${current.systemIdentifier ?? "unknown"}, timeline ${current.timeline ?? "unknown"}; ${beat}`;
  if (judgeDatabase(null, standing) === "continues") {
    if (current.systemIdentifier !== null && current.timeline !== null) return ok(found);
    return ok(
      `${found}; after a restore run npm run reconcile -- --hold, since dispatchers cannot notice each one here`,
    );
  }
  const why = `${found}, of another database: this one may be a restored one or a copy`;
  if (!isPending) return warning(why, "Nothing is pending, so dispatchers go on.");
  return failure(
    `${why}, and something is pending: dispatchers will send nothing`,
    "Run npm run reconcile and choose.",
  );
}
