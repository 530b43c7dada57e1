const SHORTEST_MS = 250;
const LONGEST_MS = 15_000;

/**
 * The wait before the next connection, in milliseconds, after this many failures in a row (from 1): a random part of
 * 250 ms doubled with each failure, from 250 ms to 15 s, so that many listeners do not come back at once. `random` is
 * from 0 to 1. `askedMs` is what the service asked for, and counts where it is longer, up to 15 s.
 */
export function backOffMs(failures: number, random: number, askedMs = 0): number {
  const widest = Math.min(LONGEST_MS, SHORTEST_MS * 2 ** Math.max(1, failures));
  const waitMs = SHORTEST_MS + random * (widest - SHORTEST_MS);
  return Math.round(Math.min(LONGEST_MS, Math.max(waitMs, askedMs)));
}
