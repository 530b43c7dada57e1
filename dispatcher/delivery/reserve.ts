import { isLate } from "../runtime/lateness.ts";
import { type Holdings, instantOf } from "./holdings.ts";

/** A burst with at least this many schedules in memory is large. */
export const LARGE_BURST = 4_000;

/**
 * Whether a schedule due at `dueAtMs` may use what is kept for those that are on time. Late ones may not, nor those of a large
 * burst: it would use up the reserve, and schedules that are due shortly after it would be late.
 */
export const mayUseReserve = (
  dueAtMs: number,
  nowMs: number,
  holdings: Readonly<Pick<Holdings, "memoryByInstant">>,
): boolean => !isLate(dueAtMs, nowMs) && !isOfLargeBurst(dueAtMs, holdings);

/** Whether a schedule due at `dueAtMs` is part of a large burst. */
export const isOfLargeBurst = (
  dueAtMs: number,
  { memoryByInstant }: Readonly<Pick<Holdings, "memoryByInstant">>,
): boolean => (memoryByInstant.get(instantOf(dueAtMs)) ?? 0) >= LARGE_BURST;
