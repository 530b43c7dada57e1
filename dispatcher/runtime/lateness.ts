/** What is due is late after this, ms. */
const LATE_MS = 100;
/** Where turns are taken it is on time for so long, and has become late recently for so long, ms. */
const ON_TIME_MS = 30;
const RECENTLY_LATE_MS = 5_000;

/** Whether what is due at `dueMs` is overdue at `nowMs`. */
export const isLate = (dueMs: number, nowMs: number): boolean => dueMs < nowMs - LATE_MS;

/** Whether what is due at `dueMs` is on time at `nowMs`, where turns are taken. */
export const isOnTime = (dueMs: number, nowMs: number): boolean => dueMs >= nowMs - ON_TIME_MS;

/** Whether what is due at `dueMs` is neither on time at `nowMs` nor has become late recently, where turns are taken. */
export const isLateForLong = (dueMs: number, nowMs: number): boolean => dueMs < nowMs - RECENTLY_LATE_MS;
