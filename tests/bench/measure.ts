import type { Job } from "./engine.ts";
import type { Arrivals } from "./receiver.ts";

/** The figures of one run of one engine. Times in ms; null where a figure does not apply. */
export type Figures = {
  p50: number | null;
  p95: number | null;
  p99: number | null;
  max: number | null;
  early: number;
  duplicates: number;
  /** Jobs that never arrived. */
  lost: number;
  /** Jobs that arrived and were not committed as delivered in the end; null where that is unknown. */
  unrecorded: number | null;
  /** Time from the first instant to the last arrival; null when nothing arrived. */
  lastArrival: number | null;
  /** Time from the first instant until every outcome was committed. */
  committed: number | null;
  /** Jobs per second that were delivered, and committed where there is a store. */
  perSecond: number;
  /** Null when nothing was delivered. */
  cpuUsPerDelivery: number | null;
  peakRssMb: number;
  /** The part of the machine's CPU time that nothing used while the jobs were delivered. */
  idleShare: number;
  /** Rows read ahead for one delivery, and claims that were put back; null where the engine does not say. */
  rowsRead: number | null;
  released: number | null;
  /** Rows that retention erased or deleted each second; null in a scenario without expired rows. */
  expiredPerSecond: number | null;
  /** Lateness of the jobs outside the control group that arrived, and how many of them arrived per second. */
  othersP50: number | null;
  othersP99: number | null;
  othersMax: number | null;
  othersPerSecond: number | null;
};

/**
 * Precision to which two readings of the wall clock agree, ms. An arrival counts as early when it is ahead by more than
 * this.
 */
const CLOCK_MS = 0.05;

type LatenessFigures = Pick<Figures, "p50" | "p95" | "p99" | "max" | "early" | "lost">;
type OthersFigures = Pick<Figures, "othersP50" | "othersP99" | "othersMax" | "othersPerSecond">;

/**
 * Lateness at the receiver of the control group, which is the first `control` jobs. Counts as early every job that came
 * too early, and as lost those of the first `answered` jobs, which the run waits for, that never came.
 */
export function lateness(
  jobs: readonly Job[],
  { control, answered }: { control: number; answered: number },
  { arrivals }: Arrivals,
): LatenessFigures {
  const late = latenessesOf(jobs.slice(0, control), arrivals);
  const all = latenessesOf(jobs, arrivals);
  return {
    p50: percentile(late, 0.5),
    p95: percentile(late, 0.95),
    p99: percentile(late, 0.99),
    max: percentile(late, 1),
    early: all.filter((ms) => ms < -CLOCK_MS).length,
    lost: answered - latenessesOf(jobs.slice(0, answered), arrivals).length,
  };
}

/** The same for the jobs outside the control group, with how many of them arrived per second from `beginMs` on. */
export function latenessOfOthers(
  jobs: readonly Job[],
  control: number,
  { arrivals }: Arrivals,
  beginMs: number,
): OthersFigures {
  const others = jobs.slice(control);
  const late = latenessesOf(others, arrivals);
  const lastAtMs = others.reduce((last, { n }) => Math.max(last, arrivals[n] || 0), 0);
  return {
    othersP50: percentile(late, 0.5),
    othersP99: percentile(late, 0.99),
    othersMax: percentile(late, 1),
    othersPerSecond: late.length === 0 ? null : late.length / ((lastAtMs - beginMs) / 1_000),
  };
}

/** Lateness of the jobs that arrived, sorted. */
function latenessesOf(jobs: readonly Job[], arrivals: Float64Array): number[] {
  const late: number[] = [];
  for (const job of jobs) {
    const at = arrivals[job.n] as number;
    if (!Number.isNaN(at)) late.push(at - job.dueAtMs);
  }
  return late.sort((a, b) => a - b);
}

/** The smallest sorted value that at least `share` of the values do not exceed (nearest rank). */
export function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)] ?? null;
}

/** The median of the values that are not null; null when there is none. */
export function median(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  const middle = known.length / 2;
  if (known.length % 2 === 1) return known[Math.floor(middle)] as number;
  return known.length === 0 ? null : ((known[middle - 1] as number) + (known[middle] as number)) / 2;
}
