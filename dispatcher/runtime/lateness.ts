/** What is due is on time when it is at most this late, ms. */
const LATE_MS = 100;
/** It has become late recently when it is at most this late, ms. */
const RECENTLY_LATE_MS = 5_000;

/** Whether what is due at `dueMs` no longer counts as being on time at `nowMs`. */
export const isLate = (dueMs: number, nowMs: number): boolean => dueMs < nowMs - LATE_MS;

/** Whether what is due at `dueMs` is late at `nowMs`, or on time, but not late for long. */
export const isLateForLong = (dueMs: number, nowMs: number): boolean => dueMs < nowMs - RECENTLY_LATE_MS;
