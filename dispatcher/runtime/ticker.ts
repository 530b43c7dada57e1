import { Worker } from "node:worker_threads";
import { RUNTIME } from "../tuning/runtime.ts";
import { MinHeap } from "./min-heap.ts";

/**
 * `performance.now()` counts the same time as `hrtime`, from the start of its thread. The largest of some differences
 * is the exact one: time passes between the two calls, in the first pair over half a millisecond.
 */
const THREAD_STARTED_MS = Math.max(
  ...Array.from({ length: 100 }, () => Number(process.hrtime.bigint()) / 1e6 - performance.now()),
);

/** Monotonic milliseconds, the same in every thread of the process. Unlike `hrtime`, it allocates no BigInt. */
export const monotonicNow = () => THREAD_STARTED_MS + performance.now();

/** Bounds memory: how many instants the thread knows at a time. */
const SCHEDULED_MAX = 16;
/** Bounds memory: instants stored besides those. Further ones are not stored: `onWake` asks for the next instant again. */
export const OVERFLOW_MAX = 4_096;

/**
 * The precise timer of the whole process. A separate thread waits for the next instant, because an event-loop timer
 * fires up to 1.6 ms early or more than a millisecond late. Waking that thread costs a system call and a thread switch.
 * So it knows several instants ahead, and is woken only for an instant earlier than those. `onWake` must read the clock
 * again, and ask for the next instant that it knows.
 */
export class Ticker {
  readonly #shared = new SharedArrayBuffer(8 + 8 * SCHEDULED_MAX);
  readonly #version = new Int32Array(this.#shared, 0, 2);
  readonly #instants = new Float64Array(this.#shared, 8, SCHEDULED_MAX).fill(Number.POSITIVE_INFINITY);
  readonly #worker: Worker;
  /** The future instants that the thread knows, in order. Those that do not fit are in `#overflow`. */
  #scheduled: number[] = [];
  readonly #overflow = new MinHeap<number>((a, b) => a < b);

  constructor(onWake: () => void) {
    this.#worker = new Worker(new URL("./ticker-thread.ts", import.meta.url), { workerData: this.#shared });
    this.#worker.on("message", () => {
      this.#refill();
      onWake();
    });
    this.#worker.on("error", (error) => {
      throw error;
    });
  }

  /** Asks for a wake-up at a monotonic instant (ms of `monotonicNow`). Earlier requests stay in force. */
  wakeAt(instant: number): void {
    const now = monotonicNow();
    const first = this.#nextAwaited(now);
    this.#scheduled = this.#scheduled.filter((one) => !isOver(one, now));
    const at = this.#scheduled.findIndex((one) => one >= instant - RUNTIME.sameInstantMs);
    const next = this.#scheduled[at] ?? Number.POSITIVE_INFINITY;
    if (next - instant <= RUNTIME.sameInstantMs && next > now) return;
    this.#scheduled.splice(at < 0 ? this.#scheduled.length : at, 0, instant);
    if (this.#scheduled.length > SCHEDULED_MAX) this.#setAside(this.#scheduled.pop() as number);
    this.#publish(instant < first);
  }

  /** How many instants wait in `#overflow`. */
  instants(): number {
    return this.#overflow.size;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #setAside(instant: number): void {
    if (this.#overflow.size < OVERFLOW_MAX) this.#overflow.push(instant);
  }

  #refill(): void {
    const now = monotonicNow();
    const first = this.#nextAwaited(now);
    this.#scheduled = this.#scheduled.filter((instant) => !isOver(instant, now));
    while (this.#scheduled.length < SCHEDULED_MAX && this.#overflow.size > 0) {
      const instant = this.#overflow.pop() as number;
      if (!isOver(instant, now) && instant - (this.#scheduled.at(-1) ?? 0) > RUNTIME.sameInstantMs)
        this.#scheduled.push(instant);
    }
    this.#publish(this.#nextAwaited(now) < first);
  }

  /** Writes the list for the thread. The version is odd while the list is being written. */
  #publish(wake: boolean): void {
    Atomics.add(this.#version, 0, 1);
    for (let at = 0; at < SCHEDULED_MAX; at++) this.#instants[at] = this.#scheduled[at] ?? Number.POSITIVE_INFINITY;
    Atomics.add(this.#version, 0, 1);
    if (wake) {
      Atomics.add(this.#version, 1, 1);
      Atomics.notify(this.#version, 1);
    }
  }

  /** The next instant that the thread is certainly still waiting for. */
  #nextAwaited(now: number): number {
    return this.#scheduled.find((instant) => instant > now + RUNTIME.soonMs) ?? Number.POSITIVE_INFINITY;
  }
}

// The thread skips instants that it has signalled. So an instant that has just passed may stay in the list: its message
// may still be on its way.
const isOver = (instant: number, now: number) => instant < now - RUNTIME.soonMs;
