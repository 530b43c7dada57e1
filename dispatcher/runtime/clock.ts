const SAMPLES_MAX = 64;
const SAMPLE_LIFE_MS = 30_000;
/** How far two clocks may drift apart, per ms: 100 ppm is more than any quartz and any slew of NTP in steady state. */
const DRIFT = 100e-6;
const STEP_MS = 500;

/** What most stages need of the clock. */
export type Time = Pick<Clock, "now" | "monotonic">;

/** `low` and `high` bound the offset of the database's clock to the monotonic one at `at`, ms. */
type Sample = { low: number; high: number; at: number };

/**
 * The database's clock as this process sees it. One sample reads it and notes the monotonic time before and after: the
 * answer was made at some moment between, so `answer − after` is the lowest the offset can be. `now()` uses the highest
 * of the recent lower bounds, each reduced by the drift since. So it never runs ahead of the database, and a request
 * that waits for `now()` is never early.
 */
export class Clock {
  readonly #deps: {
    /** Reads the database's clock, epoch ms. */
    read: () => Promise<number>;
    /** Monotonic milliseconds. */
    monotonic: () => number;
    /** This process's own wall clock, epoch ms, for the reported skew. */
    wall: () => number;
  };
  #samples: Sample[] = [];
  #offset = Number.NaN;
  #settledAt = 0;
  #steppedAt = Number.NEGATIVE_INFINITY;
  readonly monotonic: () => number;

  constructor(deps: { read: () => Promise<number>; monotonic: () => number; wall: () => number }) {
    this.#deps = deps;
    this.monotonic = deps.monotonic;
  }

  /** Takes one sample. When the database's clock has stepped by over 500 ms, the earlier samples are void. */
  async runOnce(): Promise<void> {
    const before = this.monotonic();
    const answer = await this.#deps.read();
    const at = this.monotonic();
    const sample = { low: answer - at, high: answer - before, at };
    const last = this.#samples.at(-1);
    if (last && (sample.low > last.high + STEP_MS || sample.high < last.low - STEP_MS)) {
      this.#steppedAt = at;
      this.#samples = [];
    } else {
      // A step backwards that is too small to matter elsewhere leaves bounds that are now too high: they go.
      this.#samples = this.#samples.filter((other) => other.low <= sample.high + (at - other.at) * DRIFT);
    }
    this.#samples.push(sample);
    this.#settle(at);
  }

  /** Now by the database's clock, epoch ms, never ahead of it. NaN before the first sample. */
  now(): number {
    const at = this.monotonic();
    return at + this.#offset - (at - this.#settledAt) * DRIFT;
  }

  /** The monotonic time at which `now()` will read `instantMs`. */
  monotonicAt(instantMs: number): number {
    return (instantMs - this.#offset - this.#settledAt * DRIFT) / (1 - DRIFT);
  }

  isSet(): boolean {
    return !Number.isNaN(this.#offset);
  }

  /** How far this process's wall clock is ahead of the database's, ms. */
  skewMs(): number {
    return this.#deps.wall() - this.now();
  }

  /** Monotonic time since the database's clock last stepped, ms. */
  sinceStepMs(): number {
    return this.monotonic() - this.#steppedAt;
  }

  #settle(at: number): void {
    this.#samples = this.#samples.filter((sample) => at - sample.at < SAMPLE_LIFE_MS).slice(-SAMPLES_MAX);
    this.#offset = Math.max(...this.#samples.map((sample) => sample.low - (at - sample.at) * DRIFT));
    this.#settledAt = at;
  }
}
