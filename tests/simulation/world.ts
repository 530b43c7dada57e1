import { MinHeap } from "#dispatcher/runtime/min-heap.ts";
import { createRandom } from "../helpers/random.ts";
import { COMPUTE_MS } from "./computing.ts";

type Planned = { atMs: number; n: number; run: () => void; actor: Actor | null; isCancelled: boolean };

/**
 * A process of the simulated fleet, with one thread and an event loop. What it has planned is dropped when the process ends, and
 * waits while it computes or is stopped.
 */
export class Actor {
  readonly name: string;
  isEnded = false;
  /** Until then it computes or is stopped, elapsed ms. */
  busyUntilMs = 0;
  /** How long it has computed so far. */
  computedMs = 0;
  /** Whether its next callback is planned. */
  isAwake = false;
  /** The callbacks of the two phases of its loop, which alternate: what is due, and immediates. */
  readonly #phases: [Planned[], Planned[]] = [[], []];
  #phase: 0 | 1 = 0;
  /** Those of the current phase. */
  #current: Planned[] = [];

  constructor(name: string) {
    this.name = name;
  }

  addDue(planned: Planned): void {
    this.#phases[0].push(planned);
  }

  addImmediate(planned: Planned): void {
    this.#phases[1].push(planned);
  }

  /** Removes and returns what the loop runs next. What is added during a phase waits for the next one. */
  next(): Planned | undefined {
    for (let tries = 0; tries < 2 && this.#current.length === 0; tries++) {
      this.#phase = this.#phase === 0 ? 1 : 0;
      this.#current = this.#phases[this.#phase].splice(0);
    }
    return this.#current.shift();
  }
}

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
  #actor: Actor | null = null;
  /** Numbers from 0 to less than 1, by the seed. */
  readonly random: () => number;
  /** Callbacks that have run. */
  events = 0;

  constructor(seed: number) {
    this.random = createRandom(seed).next;
  }

  /** Epoch ms. */
  now(): number {
    return EPOCH_MS + this.elapsedMs();
  }

  /** Reading the clock takes time, as everything does: whoever waits for an instant by reading it comes to it. */
  monotonic(): number {
    this.compute(READ_MS);
    return MONOTONIC_MS + this.elapsedMs();
  }

  /** The time where this is asked: a callback that has computed is that much further. */
  elapsedMs(): number {
    return Math.max(this.#elapsedMs, this.#actor?.busyUntilMs ?? 0);
  }

  /** The current actor computes for `ms`. What it has planned for this time comes after it. */
  compute(ms: number): void {
    if (!this.#actor) return;
    this.#actor.busyUntilMs = this.elapsedMs() + ms;
    this.#actor.computedMs += ms;
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
    return this.#planAt(this.elapsedMs() + Math.max(delayMs, 0), run, actor);
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
    for (let next = this.#timers.peek(); next && next.atMs <= endMs; next = this.#timers.peek()) {
      this.#timers.pop();
      this.#elapsedMs = Math.max(this.#elapsedMs, next.atMs);
      if (next.isCancelled) continue;
      if (next.actor) {
        next.actor.addDue(next);
        this.#wake(next.actor);
        continue;
      }
      this.events++;
      next.run();
      await goOn();
      if (this.#actor) this.#wake(this.#actor);
      this.#actor = null;
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
        const actor = this.#actor;
        if (!actor) return handle(this.after(0, () => run(...all)));
        const planned = { atMs: 0, n: 0, run: () => run(...all), actor, isCancelled: false };
        actor.addImmediate(planned);
        this.#wake(actor);
        return handle(planned);
      },
      clearImmediate: cancel,
    });
    Date.now = () => this.now();
    Math.random = this.random;
    performance.now = () => this.elapsedMs();
    const idleMs = () => this.elapsedMs() - (this.#actor?.computedMs ?? 0);
    Object.defineProperty(performance, "nodeTiming", {
      value: {
        get idleTime() {
          return idleMs();
        },
      },
      configurable: true,
    });
    return () => {
      const { now, random, performanceNow, ...timers } = REAL;
      Object.assign(globalThis, timers);
      Date.now = now;
      Math.random = random;
      performance.now = performanceNow;
      Reflect.deleteProperty(performance, "nodeTiming");
    };
  }

  #planAt(atMs: number, run: () => void, actor: Actor | null): Planned {
    const planned = { atMs, n: this.#planned++, run, actor, isCancelled: false };
    this.#timers.push(planned);
    return planned;
  }

  /** Plans the next callback of an actor's loop, for when it has computed. */
  #wake(actor: Actor): void {
    if (actor.isAwake) return;
    actor.isAwake = true;
    this.#planAt(Math.max(this.#elapsedMs, actor.busyUntilMs), () => this.#turn(actor), null);
  }

  #turn(actor: Actor): void {
    actor.isAwake = false;
    if (actor.isEnded) return;
    if (actor.busyUntilMs > this.#elapsedMs) {
      this.#wake(actor);
      return;
    }
    const next = actor.next();
    if (!next) return;
    this.#actor = actor;
    if (actor.busyUntilMs < this.#elapsedMs) this.compute(COMPUTE_MS.wake);
    if (!next.isCancelled) next.run();
  }
}
