import { histogramOf, type OffsetCount, ON_TIME_WITHIN_MS, percentile } from "./punctuality.ts";

/** The attempts counted in one bucket of offsets within the quarter of an hour that begins at `quarterMs` (epoch ms). */
export type QuarterCount = { quarterMs: number; bucket: number; n: number; onTime: number };

export type PublicPunctuality = {
  sent: number;
  /** The fraction of `sent` that was on time, 0 to 1; 0 when `sent` is 0. */
  onTimeRate: number;
  onTimeWithinMs: number;
  /** Lateness in ms, 0 when nothing was sent. Early counts as 0, here and below. */
  p50: number;
  p95: number;
  histogram: OffsetCount[];
  series: QuarterFigures[];
};

/** One quarter of an hour; the percentiles are null when nothing was sent in it. */
export type QuarterFigures = { startsAtMs: number; count: number; p50: number | null; p95: number | null };

/** The figures of the 96 quarters of an hour up to that of `nowMs`. */
export function publicPunctuality(counts: readonly QuarterCount[], nowMs: number): PublicPunctuality {
  // Early attempts count as 0 ms late.
  const floored = counts.map((count) => ({ ...count, bucket: Math.max(count.bucket, 0) }));
  const ofQuarter = Map.groupBy(floored, ({ quarterMs }) => quarterMs);
  const sent = sum(floored.map(({ n }) => n));
  const lastMs = Math.floor(nowMs / QUARTER_MS) * QUARTER_MS;
  return {
    sent,
    onTimeRate: sent === 0 ? 0 : sum(floored.map(({ onTime }) => onTime)) / sent,
    onTimeWithinMs: ON_TIME_WITHIN_MS,
    p50: percentile(floored, 50) ?? 0,
    p95: percentile(floored, 95) ?? 0,
    histogram: histogramOf(floored),
    series: Array.from({ length: QUARTERS }, (_, at) => {
      const startsAtMs = lastMs - (QUARTERS - 1 - at) * QUARTER_MS;
      const own = ofQuarter.get(startsAtMs) ?? [];
      return { startsAtMs, count: sum(own.map(({ n }) => n)), p50: percentile(own, 50), p95: percentile(own, 95) };
    }),
  };
}

const QUARTER_MS = 900_000;
const QUARTERS = 96;

const sum = (numbers: readonly number[]) => numbers.reduce((all, n) => all + n, 0);
