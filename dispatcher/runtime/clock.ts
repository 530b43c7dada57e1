import { RUNTIME } from "../tuning/runtime.ts";

/** Bounds memory: samples that are kept. */
const SAMPLES_MAX = 64;
/** Drift between two clocks, ms per ms. Fixed by quartz: 100 ppm is more than any, or NTP in steady state, produces. */
const DRIFT = 100e-6;
/** Guards against a clock that was set: a larger difference than this is a step, ms. */
const STEP_MS = 500;

/** The part of the clock that most stages need. */
export type Time = Pick<Clock, "now" | "monotonic">;

/** `low` and `high` bound the offset of the database's clock to the monotonic clock at the time `at`, ms. */
type Sample = { low: number; high: number; at: number };

/**
 * The database's clock as this process sees it. A sample reads the database's clock and notes the monotonic time before
 * and after. The answer was made at some moment in between, so `answer − after` is the lowest possible offset. `now()`
 * uses the highest of the recent lower bounds, each reduced by the drift since its sample. So `now()` never runs ahead
 * of the database, and a request that waits for `now()` is never early.
 */
export class Clock {
  readonly #deps: {
    /** Reads the database's clock, epoch ms. */
    read: () => Promise<number>;
    /** Monotonic milliseconds. */
    monotonic: () => number;
    /** This process's wall clock, epoch ms; only for the reported skew. */
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

  /** Takes one sample. A step of the database's clock by over 500 ms discards the earlier samples. */
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
      // After a small step backwards the earlier lower bounds are too high. Drop those.
      this.#samples = this.#samples.filter((other) => other.low <= sample.high + (at - other.at) * DRIFT);
    }
    this.#samples.push(sample);
    this.#settle(at);
  }

  /** The current time by the database's clock, epoch ms, never ahead of it. NaN before the first sample. */
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
    this.#samples = this.#samples.filter((sample) => at - sample.at < RUNTIME.clockSampleLifeMs).slice(-SAMPLES_MAX);
    this.#offset = Math.max(...this.#samples.map((sample) => sample.low - (at - sample.at) * DRIFT));
    this.#settledAt = at;
  }
}
