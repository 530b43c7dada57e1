/** The tuned numbers of reading, of memory and of the due queue. */
export const INTAKE = {
  /** The most schedules in memory, of all lanes together. It was 40,000, of which late lanes read a part in vain. */
  memoryMax: 20_000,
  /**
   * The most that are late and wait for a connection, once only reserved memory is left. The rest of the memory is for schedules that can
   * be sent.
   */
  memoryOfWaitingMax: 10_000,
  /** A schedule that is due within this is near, ms. */
  nearMs: 1_000,
  /** A lane may have this many schedules in memory on top of twice its rate, while there is plenty of memory. */
  laneMin: 64,
  /** The least that a lane may have when memory is short. Schedules whose outcomes are not recorded yet count too. */
  laneLeast: 4,

  /**
   * The most rows, lanes or deliveries that are taken in, or put back, in one go, so that the event loop is not kept from what is due.
   * Source: taking in the lanes of 8,000 schedules kept it busy for 80 ms.
   */
  atOnceMax: 2_000,
  /** The most lanes per sweep statement, over all shards. */
  sweptMax: 4_000,
  /** How often the calendar is swept, because a notification can be lost, ms. */
  sweepEveryMs: 5_000,
  /** How often a lane is reconciled with the table, ms. */
  reconcileEveryMs: 3_500,
  /** The most lanes that one step of the audit looks at. */
  auditedLanesMax: 1_000,
  /** A lane is idle when it has had nothing for this long, ms. */
  idleAfterMs: 10_000,
  /** The most idle lanes whose entries one statement raises. */
  idleLanesMax: 100,
  /**
   * While there is memory for fewer late schedules than this, late lanes are read ten times a second, not one statement after the other
   * for the little that each delivery leaves free. Source: `neighbour-crowd`. With what landed with it, 2.7 to 4.1 rows were read for one
   * delivery, before 4.5 to 7.0.
   */
  readAtOnceFreeMin: 500,
  /** Delay before a lane that found no memory is read again, ms; doubled each time. */
  backoffMs: 100,
  /** The longest delay for a lane that is at most five seconds late, ms. */
  backoffRecentMaxMs: 500,
  /** The longest delay for any lane, ms. */
  backoffMaxMs: 10_000,

  /** The time that sending itself takes, for early firing, ms. */
  sendCostMs: 0.3,
  /** A connection is opened at most this long before the instant of a delivery, ms. */
  connectAheadMs: 2_000,
  /** When no connection could be opened ahead of time, the delivery is woken again after this, ms. */
  connectAgainMs: 500,
  /**
   * Flows that are woken later than soon are looked at in steps of this, ms, so that many share one wake-up. Source: `steady300`. Without
   * steps the process was woken 520 times a second, half of them only to look at one delivery.
   */
  wakeStepMs: 50,
  /** Deliveries due within this of one that is enqueued now are enqueued and claimed with it, ms. It was 30. */
  coalesceMs: 80,
  /**
   * The most that are enqueued together for that reason. Deliveries that fall due during their claim have to wait. Source: `steady1000`.
   * With 16, 403 to 428 µs of CPU for one delivery, with 40, and eight prepared in a turn, 353 to 378. With 80, p99 12 ms.
   */
  coalesceMax: 40,
  /** A lane near its limit claims only this long before it may send, so that its slots are not held idle, ms. */
  nearLimitLeadMs: 8,
  /**
   * CPU time to enqueue one delivery, ms. A burst is enqueued this much earlier per row, one shard after the other: so it does not keep
   * others waiting, and the deliveries of a lane stay in order.
   */
  enqueueMs: 0.05,
  /** The longest that a burst is enqueued earlier, ms. It was 250. */
  enqueueMaxMs: 1_000,
  /** The most deliveries enqueued in one event-loop turn. So the first of a burst are claimed while the next are enqueued. */
  turnMax: 250,
  /** The most deliveries of a queue that are looked at in one event-loop turn. It was 4,000. */
  lookedAtMax: 1_000,
  /**
   * The deliveries of a burst are counted in steps of this, ms. Source: `steady1000`. When all that left within 1.29 s counted instead of
   * the fullest step, there were 398 to 585 claim statements a second.
   */
  loadStepMs: 25,
} as const;
