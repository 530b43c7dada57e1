/**
 * The machine's wall clock in fractions of a millisecond, as a line through the monotonic clock. `Date.now()` has whole
 * milliseconds only, so the moment at which it advances is observed a few times, and the earliest observation counts.
 */
export function readWallClock(): { wallMs: number; monotonicMs: number } {
  let best = Number.POSITIVE_INFINITY;
  for (let n = 0; n < 5; n++) {
    const before = Date.now();
    let now = before;
    while (now === before) now = Date.now();
    best = Math.min(best, monotonicMs() - now);
  }
  const at = monotonicMs();
  return { wallMs: at - best, monotonicMs: at };
}

/** Milliseconds of the monotonic clock, which all processes of the machine share. */
export const monotonicMs = () => Number(process.hrtime.bigint()) / 1e6;

/**
 * Converts monotonic time to wall time by two readings around it. The drift of the wall clock between the readings is
 * spread evenly.
 */
export function wallTimeBetween(
  first: { wallMs: number; monotonicMs: number },
  last: { wallMs: number; monotonicMs: number },
): (monotonicMs: number) => number {
  const passed = last.monotonicMs - first.monotonicMs;
  const rate = passed > 0 ? (last.wallMs - first.wallMs) / passed : 1;
  return (at) => first.wallMs + (at - first.monotonicMs) * rate;
}
