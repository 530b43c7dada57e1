import type { Evidence } from "./evidence.ts";
import { isWithin, lateWindows } from "./excuses.ts";

/** What the control group may be late, ms: 99 of 100 of its requests are less. */
export const CONTROL_P99_MAX_MS = 250;
/** With fewer requests a 99th percentile says nothing. */
const ENOUGH = 100;
/** One that was acknowledged later than this before its instant could not be known in time, ms. */
const KNOWN_AHEAD_MS = 250;

/** Lateness of first requests at the receiver, ms; null where nothing was measured. */
export type Lateness = { count: number; p50: number | null; p99: number | null; max: number | null };

/**
 * How late the group's first requests were, of those whose instant is in no window in which a fault may make anybody late.
 * One that still waited when such a window began counts only when it was over the limit already, with what it had waited.
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

/** Why the control group was too late; undefined when it was not, or when too little was measured. */
export function findLateControlGroup({ count, p99, max }: Lateness): string | undefined {
  if (count < ENOUGH || p99 === null || p99 <= CONTROL_P99_MAX_MS) return undefined;
  return `p99 ${p99.toFixed(1)} ms of ${count} requests, at most ${CONTROL_P99_MAX_MS} ms; max ${max?.toFixed(1)} ms`;
}
