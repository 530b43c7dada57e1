import { isLate } from "../runtime/lateness.ts";

/** The most schedules in memory, of all lanes together. */
export const MEMORY_MAX = 20_000;
/**
 * The most of them that may be in memory when a schedule that is late, or not due within a second, is added: the last
 * quarter is reserved for those that are on time.
 */
export const MEMORY_OF_LATE_MAX = 15_000;
/**
 * The most that are late and wait for a connection, once MEMORY_OF_LATE_MAX is reached. The rest of the memory is for
 * schedules that can be sent.
 */
export const MEMORY_OF_WAITING_MAX = 10_000;
/** A schedule that is due within this is near, ms. */
export const NEAR_MS = 1_000;
/** A lane may have this many schedules in memory on top of twice its rate, while there is plenty of memory. */
const LANE_MIN = 64;
/** The least that a lane may have when memory is short. Schedules that wait to be recorded are among them. */
const LANE_LEAST = 4;

/** How many schedules due at `dueAtMs` may come into memory, which has `size` schedules. */
export function freeFor(dueAtMs: number, nowMs: number, size: number): number {
  const isNear = !isLate(dueAtMs, nowMs) && dueAtMs <= nowMs + NEAR_MS;
  return Math.max((isNear ? MEMORY_MAX : MEMORY_OF_LATE_MAX) - size, 0);
}

/**
 * The most schedules of one lane in memory: what it may send in two seconds, plus LANE_MIN. Once half of the memory is
 * taken, a lane that is late may have no more than an equal share of what may wait, among the `lanes` that have any;
 * but at least LANE_LEAST. So what is read for it fits into memory, and is not read in vain.
 */
export function laneMax(callsPerSecond: number, isLate: boolean, lanes: number, size: number): number {
  const most = 2 * callsPerSecond + LANE_MIN;
  if (!isLate || size < MEMORY_OF_LATE_MAX / 2) return most;
  return Math.max(Math.min(most, Math.floor(MEMORY_OF_WAITING_MAX / Math.max(lanes, 1))), LANE_LEAST);
}
