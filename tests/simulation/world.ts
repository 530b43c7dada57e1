import { MinHeap } from "#dispatcher/runtime/min-heap.ts";

/** A process of the simulated fleet, or a client. What it has planned is dropped when it ends, and waits while it is stopped. */
export type Actor = { name: string; isEnded: boolean; stoppedUntilMs: number };

type Planned = { atMs: number; n: number; run: () => void; actor: Actor | null; isCancelled: boolean };

/** Wall clock and database's clock at the beginning, epoch ms. */
const EPOCH_MS = Date.UTC(2031, 0, 1);
/** A monotonic clock does not begin with the world. */
const MONOTONIC_MS = 1_000_000;
const READ_MS = 0.000_2;

const REAL = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  clearImmediate: globalThis.clearImmediate,
  now: Date.now,
  random: Math.random,
  performanceNow: performance.now,
};

/**
 * An event loop with a virtual clock. What is planned runs in the order of its instants, and everything that a callback has
 * caused has run before the next one: a run is the same each time it has the same seed.
 */
export class World {
  #elapsedMs = 0;
  #planned = 0;
  readonly #timers = new MinHeap<Planned>((a, b) => a.atMs < b.atMs || (a.atMs === b.atMs && a.n < b.n));
  #immediates: Planned[] = [];
  #actor: Actor | null = null;
  /** Numbers from 0 to less than 1, by the seed. */
  readonly random: () => number;
  /** Callbacks that have run. */
  events = 0;

  constructor(seed: number) {
    this.random = seeded(seed);
  }

  /** Epoch ms. */
  now(): number {
    return EPOCH_MS + this.#elapsedMs;
  }

  /** Reading the clock takes time, as everything does: whoever waits for an instant by reading it comes to it. */
  monotonic(): number {
    this.#elapsedMs += READ_MS;
    return MONOTONIC_MS + this.#elapsedMs;
  }

  elapsedMs(): number {
    return this.#elapsedMs;
  }

  /** Runs `work` as `actor`: what it plans, and what that plans, belongs to it. */
  as<T>(actor: Actor | null, work: () => T): T {
    const before = this.#actor;
    this.#actor = actor;
    try {
      return work();
    } finally {
      this.#actor = before;
    }
  }

  current(): Actor | null {
    return this.#actor;
  }

  /** Plans `run` in `delayMs`, for the actor that asks. */
  after(delayMs: number, run: () => void, actor: Actor | null = this.#actor): Planned {
    if (Number.isNaN(delayMs)) throw new Error("something is planned for no instant");
    const planned = {
      atMs: this.#elapsedMs + Math.max(delayMs, 0),
      n: this.#planned++,
      run,
      actor,
      isCancelled: false,
    };
    this.#timers.push(planned);
    return planned;
  }

  /** Resolves in `delayMs`. */
  wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.after(delayMs, resolve));
  }

  /** Runs what is planned for the next `durationMs`. */
  async run(durationMs: number): Promise<void> {
    const endMs = this.#elapsedMs + durationMs;
    const goOn = () => new Promise<void>((resolve) => void REAL.setImmediate(resolve));
    await goOn();
    for (;;) {
      const immediates = this.#immediates;
      this.#immediates = [];
      for (const one of immediates) if (this.#runOne(one)) await goOn();
      if (immediates.length > 0) continue;
      const next = this.#timers.peek();
      if (!next || next.atMs > endMs) break;
      this.#timers.pop();
      this.#elapsedMs = Math.max(this.#elapsedMs, next.atMs);
      if (this.#runOne(next)) await goOn();
    }
    this.#elapsedMs = endMs;
  }

  /** Replaces the clocks and timers of this process by those of the world. Returns how to bring them back. */
  install(): () => void {
    const handle = (planned: Planned) =>
      Object.assign(planned, { ref: () => planned, unref: () => planned, hasRef: () => true });
    const cancel = (planned: Planned | undefined) => {
      if (planned) planned.isCancelled = true;
    };
    const every = (run: () => void, ms: number): Planned => {
      const first = handle({ atMs: 0, n: 0, run, actor: this.#actor, isCancelled: false });
      const again = () => {
        if (first.isCancelled) return;
        run();
        this.after(ms, again, first.actor);
      };
      this.after(ms, again);
      return first;
    };
    Object.assign(globalThis, {
      setTimeout: (run: (...all: unknown[]) => void, ms = 0, ...all: unknown[]) =>
        handle(this.after(Math.max(ms, 1), () => run(...all))),
      clearTimeout: cancel,
      setInterval: every,
      clearInterval: cancel,
      setImmediate: (run: (...all: unknown[]) => void, ...all: unknown[]) => {
        const planned = { atMs: 0, n: 0, run: () => run(...all), actor: this.#actor, isCancelled: false };
        this.#immediates.push(planned);
        return handle(planned);
      },
      clearImmediate: cancel,
    });
    Date.now = () => this.now();
    Math.random = this.random;
    performance.now = () => this.#elapsedMs;
    return () => {
      const { now, random, performanceNow, ...timers } = REAL;
      Object.assign(globalThis, timers);
      Date.now = now;
      Math.random = random;
      performance.now = performanceNow;
    };
  }

  #runOne(one: Planned): boolean {
    const { actor } = one;
    if (one.isCancelled || actor?.isEnded) return false;
    if (actor && actor.stoppedUntilMs > this.#elapsedMs) {
      this.#timers.push({ ...one, atMs: actor.stoppedUntilMs });
      return false;
    }
    this.events++;
    this.#actor = actor;
    one.run();
    return true;
  }
}

/** mulberry32. Source: https://gist.github.com/tommyettinger/46a874533244883189143505d203312c. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
