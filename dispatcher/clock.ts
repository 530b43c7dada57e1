const SAMPLES_MAX = 64;
const SAMPLE_LIFE_MS = 30_000;
/** How far two clocks may drift apart, per ms: 100 ppm is more than any quartz and any slew of NTP in steady state. */
const DRIFT = 100e-6;
const STEP_MS = 500;

/**
 * The database's clock as this process sees it. One sample asks for it and notes the monotonic time before and after:
 * the answer was made at some moment between, so `answer − after` is the lowest the offset can be. The best of the
 * recent lower bounds (each let go by the drift since) never runs ahead of the database: what waits for `now()` is
 * never early by it.
 */
export function createClock(deps: {
  /** Reads the database's clock, epoch ms. */
  read: () => Promise<number>;
  /** Monotonic milliseconds. */
  monotonic: () => number;
  /** This process's own wall clock, epoch ms, for the reported skew. */
  wall: () => number;
}) {
  let samples: { low: number; high: number; at: number }[] = [];
  let offset = Number.NaN;
  let settledAt = 0;
  let steppedAt = Number.NEGATIVE_INFINITY;

  const settle = (at: number) => {
    samples = samples.filter((sample) => at - sample.at < SAMPLE_LIFE_MS).slice(-SAMPLES_MAX);
    offset = Math.max(...samples.map((sample) => sample.low - (at - sample.at) * DRIFT));
    settledAt = at;
  };

  const now = () => {
    const at = deps.monotonic();
    return at + offset - (at - settledAt) * DRIFT;
  };

  return {
    /** Takes one sample; a step of the database's clock (over 500 ms) makes the ones before it void. */
    async runOnce(): Promise<void> {
      const before = deps.monotonic();
      const answer = await deps.read();
      const at = deps.monotonic();
      const sample = { low: answer - at, high: answer - before, at };
      const last = samples.at(-1);
      if (last && (sample.low > last.high + STEP_MS || sample.high < last.low - STEP_MS)) {
        steppedAt = at;
        samples = [];
      } else {
        // A step too small to matter elsewhere must still not leave a bound that is now too high.
        samples = samples.filter((other) => other.low <= sample.high + (at - other.at) * DRIFT);
      }
      samples.push(sample);
      settle(at);
    },
    /** Now by the database's clock, epoch ms, never ahead of it. NaN before the first sample. */
    now,
    /** The monotonic time at which `now()` will read `instantMs`. */
    monotonicAt: (instantMs: number) => (instantMs - offset - settledAt * DRIFT) / (1 - DRIFT),
    monotonic: deps.monotonic,
    isSet: () => !Number.isNaN(offset),
    /** How far this process's wall clock is ahead of the database's, ms. */
    skewMs: () => deps.wall() - now(),
    /** Monotonic time since the database's clock last stepped, ms. */
    sinceStepMs: () => deps.monotonic() - steppedAt,
  };
}
