/**
 * How long a dispatcher's one thread computes for each of these, ms, garbage collection included. From the bench, on two cores
 * (`npm run bench -- --only steady300,saturation --engines stopwatch --seconds 8`, 30 November 2026): 544 µs of CPU for a delivery
 * where it does nothing else, which is divided by the shares of a profile (`--profile`), and 1,367 µs at 300 a second, where it idles
 * in between. Waking up makes the difference.
 */
export const COMPUTE_MS = {
  /** Waking up after it has idled. */
  wake: 0.33,
  /** A TLS handshake. */
  connect: 1.5,
  /** Opening and signing a request. */
  prepare: 0.08,
  /** Writing it. */
  write: 0.18,
  /** Reading its answer. */
  answer: 0.1,
  /** A row that a statement answers. */
  row: 0.045,
} as const;
