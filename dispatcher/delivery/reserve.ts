import { isLate } from "../runtime/lateness.ts";
import { DELIVERY } from "../tuning/delivery.ts";
import { type Holdings, instantOf } from "./holdings.ts";

/** The one rule of what is reserved: of `all` that there is, the small may use everything, and others all but what is `reserved`. */
export const mostFor = (all: number, reserved: number, isSmall: boolean): number => (isSmall ? all : all - reserved);

/** Whether a schedule due at `dueAtMs` is on time and of no large burst. */
export const isOnTimeAndSmall = (
  dueAtMs: number,
  nowMs: number,
  holdings: Readonly<Pick<Holdings, "memoryByInstant">>,
): boolean => !isLate(dueAtMs, nowMs) && !isOfLargeBurst(dueAtMs, holdings);

/** Whether a schedule due at `dueAtMs` is part of a large burst. */
export const isOfLargeBurst = (
  dueAtMs: number,
  { memoryByInstant }: Readonly<Pick<Holdings, "memoryByInstant">>,
): boolean => (memoryByInstant.get(instantOf(dueAtMs)) ?? 0) >= DELIVERY.largeBurst;
