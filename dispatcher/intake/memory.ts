import type { Holdings } from "../delivery/holdings.ts";
import { isOnTimeAndSmall, mostFor } from "../delivery/reserve.ts";
import { RESERVED } from "../tuning/delivery.ts";
import { INTAKE } from "../tuning/intake.ts";

/** Bound while adding a schedule that is late, of a large burst, or not due within a second. */
export const memoryOfLateMax = (): number => mostFor(INTAKE.memoryMax, RESERVED.memory, false);

/** What is in memory, as `Holdings` counts it. */
export type MemoryUse = Readonly<Pick<Holdings, "memory" | "memoryByInstant">>;

/** How many schedules due at `dueAtMs` may come into memory, beside `planned` others that are about to. */
export function freeFor(dueAtMs: number, nowMs: number, use: MemoryUse, planned = 0): number {
  const isSmall = dueAtMs <= nowMs + INTAKE.nearMs && isOnTimeAndSmall(dueAtMs, nowMs, use);
  return Math.max(mostFor(INTAKE.memoryMax, RESERVED.memory, isSmall) - use.memory - planned, 0);
}

/**
 * The most schedules of one lane in memory: what it may send in two seconds, plus INTAKE.laneMin. Once half of the memory is
 * used, a late lane may have no more than an equal share of INTAKE.memoryOfWaitingMax among the `lanes` in memory, but at
 * least INTAKE.laneLeast. So the rows that are read for it fit into memory.
 */
export function laneMax(callsPerSecond: number, isLate: boolean, lanes: number, size: number): number {
  const most = 2 * callsPerSecond + INTAKE.laneMin;
  if (!isLate || size < memoryOfLateMax() / 2) return most;
  return Math.max(Math.min(most, Math.floor(INTAKE.memoryOfWaitingMax / Math.max(lanes, 1))), INTAKE.laneLeast);
}
