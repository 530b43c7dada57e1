import { RUNTIME } from "../tuning/runtime.ts";

/** Whether something due at `dueMs` is late at `nowMs`. */
export const isLate = (dueMs: number, nowMs: number): boolean => dueMs < nowMs - RUNTIME.lateMs;

/** From when on something due at `dueMs` is late. Instants are whole milliseconds. */
export const lateFromMs = (dueMs: number): number => dueMs + RUNTIME.lateMs + 1;

/** Whether something due at `dueMs` is on time at `nowMs`, in a fair queue. */
export const isOnTime = (dueMs: number, nowMs: number): boolean => dueMs >= nowMs - RUNTIME.onTimeMs;

/** Whether something due at `dueMs` has been late for over five seconds at `nowMs`, in a fair queue. */
export const isLateForLong = (dueMs: number, nowMs: number): boolean => dueMs < nowMs - RUNTIME.recentlyLateMs;
