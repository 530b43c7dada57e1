import type { Holdings } from "../delivery/holdings.ts";
import { isOnTimeAndSmall, mostFor, RESERVED } from "../delivery/reserve.ts";

/** The most schedules in memory, of all lanes together. */
export const MEMORY_MAX = 20_000;
/** Bound while adding a schedule that is late, of a large burst, or not due within a second. */
export const MEMORY_OF_LATE_MAX = mostFor(MEMORY_MAX, RESERVED.memory, false);
/**
 * The most that are late and wait for a connection, once MEMORY_OF_LATE_MAX is reached. The rest of the memory is for
 * schedules that can be sent.
 */
export const MEMORY_OF_WAITING_MAX = 10_000;
/** A schedule that is due within this is near, ms. */
export const NEAR_MS = 1_000;
/** A lane may have this many schedules in memory on top of twice its rate, while there is plenty of memory. */
const LANE_MIN = 64;
/** The least that a lane may have when memory is short. Schedules whose outcomes are not recorded yet count too. */
const LANE_LEAST = 4;

/** What is in memory, as `Holdings` counts it. */
export type MemoryUse = Readonly<Pick<Holdings, "memory" | "memoryByInstant">>;

/** How many schedules due at `dueAtMs` may come into memory, beside `planned` others that are about to. */
export function freeFor(dueAtMs: number, nowMs: number, use: MemoryUse, planned = 0): number {
  const isSmall = dueAtMs <= nowMs + NEAR_MS && isOnTimeAndSmall(dueAtMs, nowMs, use);
  return Math.max(mostFor(MEMORY_MAX, RESERVED.memory, isSmall) - use.memory - planned, 0);
}

/**
 * The most schedules of one lane in memory: what it may send in two seconds, plus LANE_MIN. Once half of the memory is
 * used, a late lane may have no more than an equal share of MEMORY_OF_WAITING_MAX among the `lanes` in memory, but at
 * least LANE_LEAST. So the rows that are read for it fit into memory.
 */
export function laneMax(callsPerSecond: number, isLate: boolean, lanes: number, size: number): number {
  const most = 2 * callsPerSecond + LANE_MIN;
  if (!isLate || size < MEMORY_OF_LATE_MAX / 2) return most;
  return Math.max(Math.min(most, Math.floor(MEMORY_OF_WAITING_MAX / Math.max(lanes, 1))), LANE_LEAST);
}
