/**
 * How many files of a long project run at once. `long-timed` measures time, or takes the whole processor. The others mostly wait:
 * for leases, for deadlines, for a browser.
 */
export const AT_ONCE = { "long-waiting": 4, "long-timed": 1, "long-e2e": 3 } as const;
