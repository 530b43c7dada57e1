import type { Job } from "./engine.ts";
import type { Arrivals } from "./receiver.ts";

/** What one run of one engine showed. Times in ms; null where it does not apply. */
export type Figures = {
  p50: number | null;
  p95: number | null;
  p99: number | null;
  max: number | null;
  early: number;
  duplicates: number;
  /** Jobs that never came. */
  lost: number;
  /** Jobs that came and were not committed as delivered in the end. */
  unrecorded: number;
  /** The last arrival, from the first instant. */
  lastArrival: number;
  /** Every outcome committed, from the first instant. */
  committed: number | null;
  /** Delivered, and committed where there is a store. */
  perSecond: number;
  cpuUsPerDelivery: number;
  peakRssMb: number;
};

/** Two readings of the wall clock agree to about this, ms: an arrival counts as early when it is further ahead. */
const CLOCK_MS = 0.05;

/** Lateness at the receiver of the answered jobs. */
export function lateness(
  jobs: readonly Job[],
  answered: number,
  { arrivals }: Arrivals,
): Pick<Figures, "p50" | "p95" | "p99" | "max" | "early" | "lost"> {
  const late: number[] = [];
  for (const job of jobs) {
    const at = arrivals[job.n] as number;
    if (job.n < answered && !Number.isNaN(at)) late.push(at - job.dueAtMs);
  }
  late.sort((a, b) => a - b);
  return {
    p50: percentile(late, 0.5),
    p95: percentile(late, 0.95),
    p99: percentile(late, 0.99),
    max: percentile(late, 1),
    early: late.filter((ms) => ms < -CLOCK_MS).length,
    lost: answered - late.length,
  };
}

/** The smallest of the sorted values that `share` of them do not exceed (nearest rank). */
export function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)] ?? null;
}

/** The middle one; null when there is none. */
export function median(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  const middle = known.length / 2;
  if (known.length % 2 === 1) return known[Math.floor(middle)] as number;
  return known.length === 0 ? null : ((known[middle - 1] as number) + (known[middle] as number)) / 2;
}
