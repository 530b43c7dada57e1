import { percentile } from "./punctuality.ts";

export const PERIODS = ["24h", "7d", "30d"] as const;

export type Period = (typeof PERIODS)[number];

/** Buckets of equal length, which begin at midnight or at a multiple of their length after it, in UTC. */
export type Span = { startsAt: Date; stepMs: number; steps: number };

/** What was counted in one step of a span (0 the oldest), of one kind and bucket. */
export type StepCount = {
  step: number;
  /** `outcome`: `bucket` is the first digit of the status code, 0 none, -1 interrupted. `offset`: as in punctuality. */
  kind: "outcome" | "offset";
  bucket: number;
  n: number;
  /** Exact extremes of the offsets in it, ms. */
  minMs: number | null;
  maxMs: number | null;
};

export type Offsets = { p50: number; p95: number; min: number; max: number };

export type OverviewFigures = {
  successRate: number;
  offsetMs: Offsets;
  recentVolume: number;
  series: { count: number; p50: number | null; p95: number | null }[];
};

/** The buckets that show a period up to that of `nowMs`, as many of them as lie in the retention window whole. */
export function overviewSpan(period: Period, retentionDays: number, nowMs: number): Span {
  const { stepMs, stepsMax } = SPANS[period];
  const steps = Math.min(stepsMax, Math.floor((retentionDays * DAY_MS) / stepMs));
  const endsAtMs = (Math.floor(nowMs / stepMs) + 1) * stepMs;
  return { startsAt: new Date(endsAtMs - steps * stepMs), stepMs, steps };
}

/**
 * The figures of a span. Volume counts attempts; the success rate is that of attempts with a known outcome; offsets and
 * series are of first attempts, in ms. Rates and offsets of nothing are 0, those of an empty step null.
 */
export function overviewFigures(counts: readonly StepCount[], steps: number): OverviewFigures {
  const outcomes = counts.filter(({ kind }) => kind === "outcome");
  const volume = total(outcomes);
  const known = total(outcomes.filter(({ bucket }) => bucket !== INTERRUPTED));
  const delivered = total(outcomes.filter(({ bucket }) => bucket === DELIVERED));
  const offsets = counts.filter(({ kind }) => kind === "offset");
  const ofStep = Map.groupBy(offsets, ({ step }) => step);
  return {
    successRate: known === 0 ? 0 : delivered / known,
    offsetMs: spread(offsets) ?? { p50: 0, p95: 0, min: 0, max: 0 },
    recentVolume: volume,
    series: Array.from({ length: steps }, (_, step) => {
      const found = ofStep.get(step) ?? [];
      const { p50, p95 } = spread(found) ?? { p50: null, p95: null };
      return { count: total(found), p50, p95 };
    }),
  };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const SPANS: Record<Period, { stepMs: number; stepsMax: number }> = {
  "24h": { stepMs: HOUR_MS, stepsMax: 24 },
  "7d": { stepMs: 6 * HOUR_MS, stepsMax: 28 },
  "30d": { stepMs: DAY_MS, stepsMax: 30 },
};

const INTERRUPTED = -1;
const DELIVERED = 2;

const total = (counts: readonly { n: number }[]) => counts.reduce((sum, { n }) => sum + n, 0);

// What stands for a bucket may lie outside of what is in it: the extremes are exact.
function spread(offsets: readonly StepCount[]): Offsets | null {
  const min = offsets.reduce((lowest, { minMs }) => Math.min(lowest, minMs ?? lowest), Number.POSITIVE_INFINITY);
  const max = offsets.reduce((highest, { maxMs }) => Math.max(highest, maxMs ?? highest), Number.NEGATIVE_INFINITY);
  const at = (percent: number) => {
    const value = percentile(offsets, percent);
    return value === null ? null : Math.min(Math.max(value, min), max);
  };
  const [p50, p95] = [at(50), at(95)];
  return p50 === null || p95 === null ? null : { p50, p95, min, max };
}
