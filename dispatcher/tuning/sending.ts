/** The tuned numbers of preparing and sending. */
export const SENDING = {
  /** Bytes prepared per event-loop turn. */
  turnBytesMax: 1024 * 1024,
  /** A request that leaves later than this is early, ms. */
  earlyMs: 25,
  /**
   * The most early requests prepared per event-loop turn. Others that are due leave in between. Source: `steady1000`, with 40 and not
   * 16 in a claim. CPU for one delivery 353 to 378 µs, before 403 to 428; p99 5.0 to 9.3 ms, before 4.7 to 7.8.
   */
  turnEarlyMax: 8,
  /** Interval between two checks for claimed requests that have no connection, ms. */
  lookEveryMs: 500,
  /** Sending yields to the event loop after this, so that deliveries that fall due meanwhile are claimed and prepared, ms. */
  sendingMaxMs: 50,
  /** The same while only overdue requests are left, ms. */
  sendingLateMaxMs: 5,
  /** The longest that a request is begun before its instant and then held, ms. */
  leadMaxMs: 0.5,
  /**
   * By how much the lead falls when a request reached its write ahead of its instant, ms, and rises when it did not. In this ratio about
   * two thirds reach it just after.
   */
  leadFallMs: 0.004,
  leadRiseMs: 0.002,
} as const;
