/** Rows of a job's first batch. */
export const FIRST_ROWS = 200;
export const ROWS_MIN = 10;
const ROWS_MAX = 3_200;
/** Batches grow until they take this long, ms, and shrink when they take four times as long. */
const FAST_MS = 15;
const SLOW_MS = 60;

/** How many rows the next batch takes at most, after one of at most `rows` that was full and took `ms`. */
export function rowsAfterBatch(rows: number, ms: number): number {
  if (ms < FAST_MS) return Math.min(2 * rows, ROWS_MAX);
  return ms > SLOW_MS ? rowsAfterTimeout(rows) : rows;
}

/** How many rows the next batch takes at most, after one of at most `rows` that was cancelled because it took too long. */
export function rowsAfterTimeout(rows: number): number {
  return Math.max(Math.floor(rows / 2), ROWS_MIN);
}
