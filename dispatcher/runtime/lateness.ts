/** A delivery is late this long after it was due, ms. */
const LATE_MS = 100;
/**
 * Where turns are taken: on time until this long after the due time, and only recently late until that long after, ms.
 */
const ON_TIME_MS = 30;
const RECENTLY_LATE_MS = 5_000;

/** Whether something due at `dueMs` is late at `nowMs`. */
export const isLate = (dueMs: number, nowMs: number): boolean => dueMs < nowMs - LATE_MS;

/** From when on something due at `dueMs` is late. Instants are whole milliseconds. */
export const lateFromMs = (dueMs: number): number => dueMs + LATE_MS + 1;

/** Whether something due at `dueMs` is on time at `nowMs`, where turns are taken. */
export const isOnTime = (dueMs: number, nowMs: number): boolean => dueMs >= nowMs - ON_TIME_MS;

/** Whether something due at `dueMs` has been late for over five seconds at `nowMs`, where turns are taken. */
export const isLateForLong = (dueMs: number, nowMs: number): boolean => dueMs < nowMs - RECENTLY_LATE_MS;
