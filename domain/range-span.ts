import type { Span } from "./overview.ts";
import type { TimeRange } from "./range-text.ts";

/**
 * The span of a range in whole hours, cut to the hours that begin within the retention window and to the current one: at most
 * `STEPS_MAX` steps of equal length. Null when nothing of the range is left. `nowMs` is the current time (epoch ms).
 */
export function rangeSpan({ fromMs, toMs }: TimeRange, retentionDays: number, nowMs: number): Span | null {
  const keptFrom = Math.ceil((nowMs - retentionDays * 24 * HOUR_MS) / HOUR_MS);
  const from = Math.max(keptFrom, fromMs === null ? keptFrom : Math.floor(fromMs / HOUR_MS));
  const to = Math.min(
    Math.floor(nowMs / HOUR_MS) + 1,
    toMs === null ? Number.POSITIVE_INFINITY : Math.ceil(toMs / HOUR_MS),
  );
  if (to <= from) return null;
  const hours = stepHours(to - from);
  const steps = Math.ceil((to - from) / hours);
  return { startsAt: new Date((to - steps * hours) * HOUR_MS), stepMs: hours * HOUR_MS, steps };
}

const HOUR_MS = 3_600_000;
const STEPS_MAX = 62;

/** The shortest step that divides the range; for a long range that no step divides, the first one begins before it. */
function stepHours(hours: number): number {
  const few = [1, 2, 3, 4, 6, 8, 12, 24].filter((step) => hours / step <= STEPS_MAX);
  return few.find((step) => hours % step === 0) ?? few[0] ?? Math.ceil(hours / STEPS_MAX);
}
