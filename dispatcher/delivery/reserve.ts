import { isLate } from "../runtime/lateness.ts";
import { type Holdings, instantOf } from "./holdings.ts";

/** What is kept for the small, so that they need not wait for the large. */
export const RESERVED = {
  /** Schedules in memory, for those that are on time and of no large burst. */
  memory: 5_000,
  /** The share of the process's connections for accounts with few of them. */
  shareForSmallAccounts: 0.25,
  /** Connections of an origin, beyond those that it may have, for accounts with few requests there, while its oldest is slow. */
  ofOrigin: 16,
} as const;

/** The one rule of what is reserved: of `all` that there is, the small may use everything, and others all but what is `reserved`. */
export const mostFor = (all: number, reserved: number, isSmall: boolean): number => (isSmall ? all : all - reserved);

/** A burst with at least this many schedules in memory is large. */
export const LARGE_BURST = 4_000;

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
): boolean => (memoryByInstant.get(instantOf(dueAtMs)) ?? 0) >= LARGE_BURST;
