import { LISTEN_ORIGIN } from "../../../domain/listen-origin.ts";
import type { ScheduleFilter, Schedules } from "../../../sdk/src/index.ts";
import type { ListenPlan } from "./listen-options.ts";

const HOUR_MS = 3_600_000;
/** How far back deaths are looked for; the first one that finds any is named. */
const WINDOWS = [
  { since: "1h", ms: HOUR_MS },
  { since: "24h", ms: 24 * HOUR_MS },
] as const;

/**
 * What happened to test deliveries while nobody listened, such as `2 wait for a retry, 1 died: stopwatch replay --since 1h`;
 * undefined when nothing did, or when the plan takes paths of any host, which no filter of a list can say. `nowMs` is epoch
 * ms.
 */
export async function findMissed(
  schedules: Pick<Schedules, "list">,
  { scope, paths }: Pick<ListenPlan, "scope" | "paths">,
  nowMs: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (scope === "all" && paths.length > 0) return undefined;
  const targets = scope === "all" ? [undefined] : outermost(paths).map((path) => `${LISTEN_ORIGIN}${path}`);
  const count = async (filter: ScheduleFilter) => {
    let total = 0;
    for (const q of targets) total += (await schedules.list({ ...filter, q, limit: 1 }, { signal })).total;
    return total;
  };
  const waiting = await count({ status: "failed" });
  const parts = waiting === 0 ? [] : [waiting === 1 ? "1 waits for a retry" : `${waiting} wait for a retry`];
  for (const { since, ms } of WINDOWS) {
    const died = await count({ status: "dead", from: new Date(nowMs - ms) });
    if (died === 0) continue;
    parts.push(`${died} died: stopwatch replay --since ${since}${scope === "all" ? "" : ` --q ${LISTEN_ORIGIN}/`}`);
    break;
  }
  return parts.join(", ") || undefined;
}

/** The prefixes without those that another one covers, so that nothing counts twice. */
function outermost(paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return ["/"];
  return paths.filter((path) => !paths.some((other) => other !== path && path.startsWith(other)));
}
