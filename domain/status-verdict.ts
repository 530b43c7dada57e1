import { DAY_ON_TIME_RATE } from "./public-days.ts";
import type { PublicPunctuality } from "./public-punctuality.ts";

/**
 * How punctual an installation is, in one word:
 * - `unknown`: the database does not answer;
 * - `stopped`: no dispatcher is running;
 * - `quiet`: nothing was due in 24 hours;
 * - `late-now`: in the last quarter of an hour with requests, at most an hour ago, more than one in 20 were late;
 * - `was-late`: more than one in 1,000 of the last 24 hours were late, but not now;
 * - `on-time`: otherwise.
 */
export type StatusVerdict = "unknown" | "stopped" | "quiet" | "late-now" | "was-late" | "on-time";

/** The verdict on `figures`. `isRunning`: whether a dispatcher beats, null when the database did not say; `isOld`: the figures are. */
export function statusVerdict(
  {
    sent,
    onTimeRate,
    onTimeWithinMs,
    series,
  }: Pick<PublicPunctuality, "sent" | "onTimeRate" | "onTimeWithinMs" | "series">,
  { isRunning, isOld }: { isRunning: boolean | null; isOld: boolean },
): StatusVerdict {
  if (isRunning === null || isOld) return "unknown";
  if (!isRunning) return "stopped";
  if (sent === 0) return "quiet";
  const last = series.slice(-NOW_QUARTERS).findLast(({ count }) => count > 0);
  if (last !== undefined && (last.p95 ?? 0) > onTimeWithinMs) return "late-now";
  return onTimeRate < DAY_ON_TIME_RATE ? "was-late" : "on-time";
}

/** An hour of quarters, the one under way included. */
const NOW_QUARTERS = 4;
