import { histogramOf, type OffsetCount, percentile } from "./punctuality.ts";

export const PERIODS = ["24h", "7d", "30d"] as const;

export type Period = (typeof PERIODS)[number];

/** A series of `steps` buckets of `stepMs` each, aligned to midnight UTC. */
export type Span = { startsAt: Date; stepMs: number; steps: number };

/** The count of one kind and bucket in one step of a span; step 0 is the oldest. */
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
  histogram: OffsetCount[];
  series: { count: number; p50: number | null; p95: number | null }[];
};

/** Whether a plan with this retention keeps the attempts of the whole period. */
export function isHeld(period: Period, retentionDays: number): boolean {
  const { stepMs, stepsMax } = SPANS[period];
  return stepMs * stepsMax <= retentionDays * DAY_MS;
}

/** The shortest period that is at least `ms` long, or the longest. */
export function periodAround(ms: number): Period {
  return PERIODS.find((period) => ms <= SPANS[period].stepMs * SPANS[period].stepsMax) ?? "30d";
}

/** The span of a period that ends with the bucket of `nowMs`, cut to the buckets wholly within the retention window. */
export function overviewSpan(period: Period, retentionDays: number, nowMs: number): Span {
  const { stepMs, stepsMax } = SPANS[period];
  const steps = Math.min(stepsMax, Math.floor((retentionDays * DAY_MS) / stepMs));
  const endsAtMs = (Math.floor(nowMs / stepMs) + 1) * stepMs;
  return { startsAt: new Date(endsAtMs - steps * stepMs), stepMs, steps };
}

/**
 * The figures of a span. Volume counts attempts; the success rate is that of attempts with a known outcome; offsets,
 * histogram and series are of first attempts, in ms. Rates and offsets of nothing are 0, those of an empty step null.
 */
export function overviewFigures(counts: readonly StepCount[], steps: number): OverviewFigures {
  const outcomes = counts.filter(({ kind }) => kind === "outcome");
  const volume = total(outcomes);
  const knownOutcomes = total(outcomes.filter(({ bucket }) => bucket !== INTERRUPTED));
  const delivered = total(outcomes.filter(({ bucket }) => bucket === DELIVERED));
  const offsets = counts.filter(({ kind }) => kind === "offset");
  const ofStep = Array.from({ length: steps }, (): StepCount[] => []);
  for (const count of offsets) ofStep[count.step]?.push(count);
  return {
    successRate: knownOutcomes === 0 ? 0 : delivered / knownOutcomes,
    offsetMs: spread(offsets) ?? { p50: 0, p95: 0, min: 0, max: 0 },
    recentVolume: volume,
    histogram: histogramOf(offsets),
    series: ofStep.map((stepCounts) => {
      const { p50, p95 } = spread(stepCounts) ?? { p50: null, p95: null };
      return { count: total(stepCounts), p50, p95 };
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

// A bucket's representative value may lie outside the range of its members: clamp to the exact extremes.
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
