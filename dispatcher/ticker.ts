import { Worker } from "node:worker_threads";
import { createMinHeap } from "./min-heap.ts";

/** Milliseconds of the clock that every thread of the process shares. */
export const monotonicNow = () => Number(process.hrtime.bigint()) / 1e6;

/** How many wake-ups ahead the thread is told of. */
const TOLD_MAX = 16;
/** Instants closer than this are one, ms. */
const SAME_MS = 0.02;
const SOON_MS = 0.2;

/**
 * The precise wake-ups of the whole process. A thread of its own waits for the next instant, since a timer of the event
 * loop fires up to 1.6 ms early or more than a millisecond late. It is told of several instants ahead, so that waking
 * it up (a system call, and a switch of threads) is needed only when an earlier one comes up. Whoever is woken looks at
 * the clock again.
 */
export function createTicker(onWake: () => void) {
  const shared = new SharedArrayBuffer(8 + 8 * TOLD_MAX);
  const version = new Int32Array(shared, 0, 2);
  const instants = new Float64Array(shared, 8, TOLD_MAX).fill(Number.POSITIVE_INFINITY);
  const worker = new Worker(new URL("./ticker-thread.ts", import.meta.url), { workerData: shared });
  /** What the thread was told, in order, without what is past; what comes after that waits here. */
  let told: number[] = [];
  const later = createMinHeap<number>((a, b) => a < b);

  const tell = (wake: boolean) => {
    // An odd version means that the list is being written.
    Atomics.add(version, 0, 1);
    for (let at = 0; at < TOLD_MAX; at++) instants[at] = told[at] ?? Number.POSITIVE_INFINITY;
    Atomics.add(version, 0, 1);
    if (wake) {
      Atomics.add(version, 1, 1);
      Atomics.notify(version, 1);
    }
  };

  // The thread passes over what it has done with, so that what is just past may stay in the list: it may be under way.
  const isOver = (instant: number, now: number) => instant < now - SOON_MS;
  /** The next instant that the thread certainly still waits for. */
  const awaited = (now: number) => told.find((instant) => instant > now + SOON_MS) ?? Number.POSITIVE_INFINITY;

  worker.on("message", () => {
    const now = monotonicNow();
    const first = awaited(now);
    told = told.filter((instant) => !isOver(instant, now));
    while (told.length < TOLD_MAX && later.size > 0) {
      const instant = later.pop() as number;
      if (!isOver(instant, now) && instant - (told.at(-1) ?? 0) > SAME_MS) told.push(instant);
    }
    tell(awaited(now) < first);
    onWake();
  });
  worker.on("error", (error) => {
    throw error;
  });

  return {
    /** Asks for a wake-up at a monotonic instant (ms of `monotonicNow`), besides those asked for before. */
    wakeAt(instant: number) {
      const now = monotonicNow();
      const first = awaited(now);
      told = told.filter((one) => !isOver(one, now));
      const at = told.findIndex((one) => one >= instant - SAME_MS);
      if (at >= 0 && (told[at] as number) - instant <= SAME_MS && (told[at] as number) > now) return;
      told.splice(at < 0 ? told.length : at, 0, instant);
      if (told.length > TOLD_MAX) later.push(told.pop() as number);
      tell(instant < first);
    },
    async close() {
      await worker.terminate();
    },
  };
}
