/** A delivery is late this long after it was due, ms. */
const LATE_MS = 100;
/** In fair queues: on time until the first after the due time, recently late until the second, ms. */
const ON_TIME_MS = 30;
const RECENTLY_LATE_MS = 5_000;

/** Whether something due at `dueMs` is late at `nowMs`. */
export const isLate = (dueMs: number, nowMs: number): boolean => dueMs < nowMs - LATE_MS;

/** From when on something due at `dueMs` is late. Instants are whole milliseconds. */
export const lateFromMs = (dueMs: number): number => dueMs + LATE_MS + 1;

/** Whether something due at `dueMs` is on time at `nowMs`, in a fair queue. */
export const isOnTime = (dueMs: number, nowMs: number): boolean => dueMs >= nowMs - ON_TIME_MS;

/** Whether something due at `dueMs` has been late for over five seconds at `nowMs`, in a fair queue. */
export const isLateForLong = (dueMs: number, nowMs: number): boolean => dueMs < nowMs - RECENTLY_LATE_MS;
