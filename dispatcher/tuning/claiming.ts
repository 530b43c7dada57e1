/** The tuned numbers of claims. */
export const CLAIMING = {
  /**
   * Deliveries become claimable in steps of this, so that one statement claims those that leave close together, ms.
   * Source: `steady3000`. Without steps there were over 270 statements a second, and 25 % more CPU time.
   */
  openStepMs: 10,
  /** Lowest row limit of a statement: with fewer rows its fixed cost would exceed the cost of the rows. */
  rowsMin: 100,
  /** Target duration of a statement, ms. It bounds the rows, so that an on-time delivery soon gets the next one. */
  statementMs: 40,
  /**
   * The most bytes of requests in one answer. A larger one may stay half-sent to a stopped process, with its rows locked.
   * Source: `saturation`. With 1 MiB as many were delivered (6,513 and 6,342 a second, 6,611 and 6,732 with 256 KiB), and up to 3,159
   * claims were put back.
   */
  bytesMax: 256 * 1024,
  /** A request costs its lane one more turn for each multiple of this many bytes. */
  turnBytes: 32 * 1024,
  /**
   * A row that could not be claimed (locked, cancelled, moved) is read again after this, and a lease that is over is looked at again, ms.
   */
  againMs: 50,
  /** A claim is repeated after this many times its lead, so that few are where all claims are slow. */
  repeatedAfterLeads: 4,
  /** How fast the costs of claims are learned: the share of a new one. */
  learningRate: 0.1,
  /** The same for the cost of a row that rises: deliveries that are on time wait behind a statement with too many rows. */
  rowRiseRate: 0.3,
  /** Claims are made this much earlier than necessary, ms. */
  marginMs: 5,
  /**
   * How many statements with overdue deliveries of one lane may be in flight: the one that the database executes, and one queued behind
   * it.
   */
  statementsPerLaneMax: 2,
} as const;
