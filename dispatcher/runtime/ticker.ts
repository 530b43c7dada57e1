import { Worker } from "node:worker_threads";
import { MinHeap } from "./min-heap.ts";

/** Milliseconds of the clock that every thread of the process shares. */
export const monotonicNow = () => Number(process.hrtime.bigint()) / 1e6;

/** How many wake-ups ahead the thread is told. */
const TOLD_MAX = 16;
/** Instants closer than this are one, ms. */
const SAME_MS = 0.02;
const SOON_MS = 0.2;

/**
 * The precise wake-ups of the whole process. A thread of its own waits for the next instant, since a timer of the event
 * loop fires up to 1.6 ms early or more than a millisecond late. The thread is told several instants ahead. So waking it
 * up, which costs a system call and a switch of threads, is needed only when an earlier instant comes up. `onWake` looks
 * at the clock again.
 */
export class Ticker {
  readonly #shared = new SharedArrayBuffer(8 + 8 * TOLD_MAX);
  readonly #version = new Int32Array(this.#shared, 0, 2);
  readonly #instants = new Float64Array(this.#shared, 8, TOLD_MAX).fill(Number.POSITIVE_INFINITY);
  readonly #worker: Worker;
  /** What the thread was told, in order, without what is past. Later instants wait in `#later`. */
  #told: number[] = [];
  readonly #later = new MinHeap<number>((a, b) => a < b);

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

  /** Asks for a wake-up at a monotonic instant (ms of `monotonicNow`), in addition to those asked for before. */
  wakeAt(instant: number): void {
    const now = monotonicNow();
    const first = this.#nextAwaited(now);
    this.#told = this.#told.filter((one) => !isOver(one, now));
    const at = this.#told.findIndex((one) => one >= instant - SAME_MS);
    if (at >= 0 && (this.#told[at] as number) - instant <= SAME_MS && (this.#told[at] as number) > now) return;
    this.#told.splice(at < 0 ? this.#told.length : at, 0, instant);
    if (this.#told.length > TOLD_MAX) this.#later.push(this.#told.pop() as number);
    this.#tell(instant < first);
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #refill(): void {
    const now = monotonicNow();
    const first = this.#nextAwaited(now);
    this.#told = this.#told.filter((instant) => !isOver(instant, now));
    while (this.#told.length < TOLD_MAX && this.#later.size > 0) {
      const instant = this.#later.pop() as number;
      if (!isOver(instant, now) && instant - (this.#told.at(-1) ?? 0) > SAME_MS) this.#told.push(instant);
    }
    this.#tell(this.#nextAwaited(now) < first);
  }

  /** Writes the list for the thread. An odd version means that it is being written. */
  #tell(wake: boolean): void {
    Atomics.add(this.#version, 0, 1);
    for (let at = 0; at < TOLD_MAX; at++) this.#instants[at] = this.#told[at] ?? Number.POSITIVE_INFINITY;
    Atomics.add(this.#version, 0, 1);
    if (wake) {
      Atomics.add(this.#version, 1, 1);
      Atomics.notify(this.#version, 1);
    }
  }

  /** The next instant that the thread certainly still waits for. */
  #nextAwaited(now: number): number {
    return this.#told.find((instant) => instant > now + SOON_MS) ?? Number.POSITIVE_INFINITY;
  }
}

// The thread skips what it has done. So an instant that is just past may stay in the list: its message may be on its way.
const isOver = (instant: number, now: number) => instant < now - SOON_MS;
