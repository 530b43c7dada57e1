/**
 * The machine's wall clock in fractions of a millisecond, as a line through the monotonic clock. `Date.now()` has whole
 * milliseconds only: the moment at which it moves on is looked for a few times, and the earliest sight of it counts.
 */
export function readWallClock(): { wallMs: number; monotonicMs: number } {
  let best = Number.POSITIVE_INFINITY;
  for (let look = 0; look < 5; look++) {
    const before = Date.now();
    let now = before;
    while (now === before) now = Date.now();
    best = Math.min(best, monotonicMs() - now);
  }
  const at = monotonicMs();
  return { wallMs: at - best, monotonicMs: at };
}

/** Milliseconds of the clock that every process of the machine shares. */
export const monotonicMs = () => Number(process.hrtime.bigint()) / 1e6;

/** Wall time of a monotonic one, by two readings around it: what the wall clock drifted between them is spread evenly. */
export function wallTimeBetween(
  first: { wallMs: number; monotonicMs: number },
  last: { wallMs: number; monotonicMs: number },
): (monotonicMs: number) => number {
  const passed = last.monotonicMs - first.monotonicMs;
  const rate = passed > 0 ? (last.wallMs - first.wallMs) / passed : 1;
  return (at) => first.wallMs + (at - first.monotonicMs) * rate;
}
