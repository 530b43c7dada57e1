import { isLate } from "../runtime/lateness.ts";

/** Schedules in memory, of all lanes together. */
export const MEMORY_MAX = 40_000;
/** … of those that are late, or due later than in a second: a quarter is kept for what is on time. */
export const MEMORY_OF_LATE_MAX = 30_000;
/** … of those that are late and wait for a connection: the rest is for what can be sent. */
export const MEMORY_OF_WAITING_MAX = 20_000;
/** What is due within this is near. */
export const NEAR_MS = 1_000;
/** A lane may have so many schedules in memory, whatever its rate, while there is plenty of it. */
const LANE_MIN = 64;
/** … and so many when there is little: what waits to be recorded is among them. */
const LANE_LEAST = 4;

/** Whether a schedule that is due at `dueAtMs` may come into memory, with `size` schedules there. */
export function hasMemoryFor(dueAtMs: number, nowMs: number, size: number): boolean {
  const isNear = !isLate(dueAtMs, nowMs) && dueAtMs <= nowMs + NEAR_MS;
  return size < (isNear ? MEMORY_MAX : MEMORY_OF_LATE_MAX);
}

/**
 * How many schedules of one lane are read into memory: what it may send in two seconds. Of one that is late no more, once
 * half of the memory is taken, than an equal part for each of `lanes` that have any. At least 4.
 */
export function laneMax(callsPerSecond: number, isLate: boolean, lanes: number, size: number): number {
  const most = 2 * callsPerSecond + LANE_MIN;
  if (!isLate || size < MEMORY_OF_LATE_MAX / 2) return most;
  return Math.max(Math.min(most, Math.floor(MEMORY_OF_LATE_MAX / Math.max(lanes, 1))), LANE_LEAST);
}
