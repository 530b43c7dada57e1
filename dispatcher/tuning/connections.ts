/** The tuned numbers of connections to targets. What a target may send is fixed by docs/limits.md. */
export const CONNECTIONS = {
  /** How many connections a fast origin gets. More make a burst no faster, and each costs a handshake at both ends. */
  fastOriginMax: 64,
  /** Bound on the connections of an origin whose average answer is slow but whose quickest one is not. */
  busyOriginMax: 256,
  /** An origin whose quickest answer takes this long is slow, ms. */
  slowMs: 50,
  /** A request takes longer than usual after this many times the average latency. */
  slowFactor: 4,
  /** If answers take this many times the base latency, the origin is overloaded, and more connections do not help. */
  overloadFactor: 2,
  /** The base latency of an origin that has become slower by itself rises by this factor each second. */
  baseRise: 1.05,
  /** A slow origin gets as many more connections as are needed to answer the waiting requests within this, ms. */
  drainMs: 500,
  /** The period over which the pace of answers is measured, ms. */
  pacePeriodMs: 250,
  /** A request is overtaken once this many answers per request on the wire have arrived since it began. */
  overtaken: 2,
  /**
   * The shortest time without an answer after which a request counts as hanging, ms, and without a connection after which others are
   * opened beside the one that is being opened.
   */
  silentMs: 250,
  /** How many connections to one origin may be opened at once. */
  openingMax: 32,
  /** An account with fewer connections than this is small. */
  smallAccount: 16,
  /** The share of the process's connections that all accounts together may have to one origin. */
  originShare: 0.25,
  /** The share of the process's connections that one account may be opening at once: its hosts may not answer. */
  openingShare: 0.125,
  /** The peak of the last minute is stored as the peaks of two halves of this length, ms. */
  peakEachMs: 30_000,
  /** A slow origin may have this many times its peak. */
  peakFactor: 1.25,
  /** An idle connection is closed after this, ms, also one that was never used. */
  idleMaxMs: 4_000,
  /** A connection is used for this long, ms. */
  keptMaxMs: 60_000,
  /** How long a connection rests after its answer while nobody knows whether the origin keeps connections open, ms. */
  restMs: 25,
  /** A connection that its origin closes within this time of an answer was closed because of the answer, ms. */
  closesWithinMs: 100,
  /**
   * As many bytes are decrypted at once. Source: they may be 150 changes of keys, or as many records of one byte, which take 2 ms. With
   * another number not measured.
   */
  sliceBytes: 4 * 1024,
  /**
   * How long connections are read in one turn of the event loop, ms by the clock and then as long by the CPU; then what else is due goes
   * first. Source: `npm run chaos` with all adversaries on a machine at a quarter of its speed. By the clock alone, a turn was a single slice
   * there, since time passes while a process waits for a CPU: the control group's p99 was 6.5 s, with sixteen slices at least 0.6. To
   * ask for the CPU time takes 2 µs and more, and most turns end before that. With another number not measured.
   */
  readTurnMs: 2,
  /** What an account may use in a round while others wait, ms. One that used more is passed over until they had as much. */
  readQuantumMs: 0.25,
  /** An account that was charged is read again after this many times as long: what is charged takes 1/20 of the loop. */
  chargedPauseFactor: 20,
} as const;
