/** What is kept for the small, so that they need not wait for the large. The rule is in `delivery/reserve.ts`. */
export const RESERVED = {
  /**
   * Schedules in memory, for those that are on time and of no large burst.
   * Source: `neighbour-crowd`. While large bursts used it too, the p99 of the others was 0.5 to 6.0 s in ten of 14 runs.
   */
  memory: 5_000,
  /** The share of the process's connections for accounts with few of them. */
  shareForSmallAccounts: 0.25,
  /**
   * Connections of an origin, beyond those that it may have, for accounts with few requests there, while its oldest is slow.
   * Source: `neighbour-hangs`. Without them, the p99 of the control group was 294 to 364 ms; with them, 65 to 68 ms.
   */
  ofOrigin: 16,
} as const;

/** The tuned numbers of deliveries that several stages share. */
export const DELIVERY = {
  /** Schedules are due at one instant when they are due in the same step of this, ms. */
  instantMs: 10,
  /** A burst with at least this many schedules in memory is large. */
  largeBurst: 4_000,
  /**
   * From this lateness on, ms, a delivery that has no connection is put back, before its claim and after it, and one that waits goes on
   * only as far ahead as its origin answers. It was one second before the claim at first.
   */
  longLateMs: 2_000,
} as const;
