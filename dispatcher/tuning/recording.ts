/** The tuned numbers of recording. */
export const RECORDING = {
  /** Outcomes are written this long after the first of them, so that many go in one statement, ms. It was 10, then 30. */
  flushAfterMs: 40,
  /**
   * The same while they are few, ms. Source: `steady300`. With 40 ms there were 22 statements of 13 rows a second, more than half of what
   * the database did for a delivery. After a crash up to 60 ms more of such outcomes are repeated.
   */
  flushFewAfterMs: 100,
  /** While due requests have not left, record statements wait for them, at most this long, ms. */
  givesWayMs: 500,
  /** The same: only below this many outcomes. It was 2,500. */
  givesWayRows: 5_000,
} as const;
