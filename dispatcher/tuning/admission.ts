/** The tuned numbers of admission. `slow-target`, `many-origins` and the scenarios with neighbours are about it. */
export const ADMISSION = {
  /** An account with at most this many requests at an origin has few there. */
  fewOnTheWire: 4,
  /**
   * If an origin answers nothing for this long, its claimed requests are put back, ms. Each costs two statements.
   * Source: `npm run chaos`. With 250 ms, a receiver that was silent for 300 ms had 148 requests put back, which came again 0.8 to 3 s
   * later, after later ones of their accounts.
   */
  stalledMs: 1_000,
  /** How many deliveries of one origin go on, or fail, at once. */
  atOnceMax: 256,
  /** How many origins are served at once when an account may have connections again. */
  originsAtOnceMax: 32,
  /**
   * Deliveries go on to their claim only if the origin can answer them within this, by its recent latency: well before they would be put
   * back, ms. It was 1,000.
   */
  headroomMs: 250,
  /**
   * At most this many go on ahead, or as many as were answered within `headroomMs` recently if that is more. The latency alone is not
   * enough: this process may send more slowly than the origin answers. Source: `neighbour-crowd`. With 2,048, what was due up to 50 ms
   * after the burst was late; what landed with this number changed the due queue, too.
   */
  headroomMax: 1_024,
  /**
   * The same while no claimed request waits for a connection, as before the instant of a burst. Source: `burst5000`. It was committed
   * after 0.46 s, with 1,024 after 0.65 s.
   */
  headroomAheadMax: 4_096,
  /** A delivery that is at most this late may go on over capacity, ms. */
  urgentMs: 500,
  /** How many deliveries may go on over capacity. It was 8,192. */
  overCommitMax: 4_096,
  /**
   * The same when many others are due with the next one. Source: `neighbour-crowd`. With 2,048, what was due up to 50 ms after the burst
   * waited for capacity that late deliveries had used; as above.
   */
  overCommitByBurstMax: 1_024,
  /** Late deliveries go on for this long ahead, at the recent rate of answers, ms. */
  lateAheadMs: 200,
  /** At least this many go on. */
  lateAheadMin: 512,
  /**
   * Multiplier while half of the connections are idle. Claim and preparation take longer than `lateAheadMs` then: without it the pace
   * sank, and the bound with it, to `lateAheadMin` for each way.
   */
  idleFactor: 4,
  /** The preparation time of an origin is the longest of one to two periods of this, ms. */
  preparationPeriodMs: 500,
  /** Safety factor on it. Source: `neighbour-crowd` measures what it is for; with another number it was not measured. */
  preparationFactor: 1.25,
  /** How many new connections are opened at once for the waiting retries of an origin. */
  retriesAtOnce: 8,
  /** Interval in which all active origins are looked at, ms. */
  originsEveryMs: 1_000,
  /** After a gap for which the event loop was busy, answers may still wait in sockets for this many rounds. */
  calmRounds: 2,
  /** What falls due at an origin is counted in spans of this, ms. */
  spanMs: 100,
  /** How long a span is kept after it ended, ms. Longer latencies are treated as this. */
  spanKeptMs: 2_000,
  /**
   * At most this many requests at one instant are few. It was 64. Source: `neighbour-crowd` measures what it is for; with another number it
   * was not measured.
   */
  fewAtOneInstant: 16,
} as const;
