/** The tuned numbers of queues, clock and timer. */
export const RUNTIME = {
  /** A delivery is late this long after it was due, ms. */
  lateMs: 100,
  /** In fair queues: on time until this long after the due time, ms. */
  onTimeMs: 30,
  /**
   * In fair queues: recently late until this long after the due time, ms. It was one second at first. Source: `neighbour-crowd` measures
   * the turns that depend on it; with another number it was not measured.
   */
  recentlyLateMs: 5_000,
  /**
   * One turn in this many goes to a head that is on time. Source: `neighbour-crowd`. Without such turns a lane that was late once never
   * caught up. With another number not measured.
   */
  onTimeTurn: 4,
  /**
   * One turn in this many goes to the most late of the heads that have become late recently. Source: `neighbour-crowd`. Without such turns
   * a delivery due just before the burst came 14 to 18 s late in five of 37 runs. With another number not measured.
   */
  mostLateTurn: 8,
  /** A head that is due further ahead than this does not yet count as on time, ms, unless its queue says otherwise. */
  aheadMs: 20,
  /**
   * How long what is over is remembered, ms: the last turn of an empty group, what was due at an origin, a rate lane without a delivery.
   */
  rememberedMs: 1_000,
  /** A queue is pruned of removed items at this size, or at twice the size that the last pruning left. */
  pruneAtMin: 1_024,
  /** After a longer gap between rounds that come ten times a second, the event loop was busy, ms. */
  busyGapMs: 150,
  /** How long a sample of the database's clock is used, ms. */
  clockSampleLifeMs: 30_000,
  /** The ticker's instants that are closer together than this count as one, ms. */
  sameInstantMs: 0.02,
  /** The ticker's thread may have signalled an instant that is at most this far away, ms: another one is asked for. */
  soonMs: 0.2,
} as const;
