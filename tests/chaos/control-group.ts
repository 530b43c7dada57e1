import type { Evidence } from "./evidence.ts";
import { isWithin, lateWindows } from "./excuses.ts";

/** The lateness that 99 of 100 requests of the control group must stay below, ms. */
export const CONTROL_P99_MAX_MS = 250;
/** With fewer requests a 99th percentile says nothing. */
const ENOUGH = 100;
/**
 * A schedule that was acknowledged later than this before its instant could not be known to its dispatcher in time, ms.
 */
const KNOWN_AHEAD_MS = 250;

/** Lateness of first requests at the receiver, ms; null when nothing was measured. */
export type Lateness = { count: number; p50: number | null; p99: number | null; max: number | null };

/**
 * Returns how late the first requests of the group were. Leaves out instants within a window in which a fault may delay
 * any request. A request that still waited when such a window began counts with the time it had waited, but only when
 * that is over the limit.
 */
export function latenessOf(group: string, evidence: Evidence): Lateness {
  const windows = lateWindows(evidence);
  const firstArrivals = new Map(
    evidence.arrivals.filter(({ attempt }) => attempt === 1).map((one) => [one.scheduleId, one.arrivedAtMs]),
  );
  const late: number[] = [];
  for (const { id, group: its, fireAtMs, acknowledgedAtMs } of evidence.client) {
    if (its !== group || acknowledgedAtMs > fireAtMs - KNOWN_AHEAD_MS || isWithin(windows, fireAtMs)) continue;
    const arrivedAtMs = firstArrivals.get(id) ?? Number.POSITIVE_INFINITY;
    const next = Math.min(...windows.filter(({ fromMs }) => fromMs > fireAtMs).map(({ fromMs }) => fromMs));
    const waitedMs = Math.min(arrivedAtMs, next) - fireAtMs;
    if (arrivedAtMs <= next || waitedMs > CONTROL_P99_MAX_MS) late.push(waitedMs);
  }
  late.sort((a, b) => a - b);
  const rank = (share: number) => late[Math.max(Math.ceil(late.length * share) - 1, 0)] ?? null;
  return { count: late.length, p50: rank(0.5), p99: rank(0.99), max: late.at(-1) ?? null };
}

/** Returns why the control group fails the run; undefined when it does not, or when too little was measured. */
export function findLateControlGroup({ count, p99, max }: Lateness): string | undefined {
  if (count < ENOUGH || p99 === null || p99 <= CONTROL_P99_MAX_MS) return undefined;
  return `p99 ${p99.toFixed(1)} ms of ${count} requests, at most ${CONTROL_P99_MAX_MS} ms; max ${max?.toFixed(1)} ms`;
}
