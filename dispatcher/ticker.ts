import { Worker } from "node:worker_threads";

export type Ticker = {
  /** Asks for one wake-up at a monotonic instant (ms of `monotonicNow`); an earlier one replaces a later one. */
  wakeAt(monotonicMs: number): void;
  close(): Promise<void>;
};

/** Milliseconds of the clock that every thread of the process shares. */
export const monotonicNow = () => Number(process.hrtime.bigint()) / 1e6;

/**
 * One precise wake-up for the whole process. A thread of its own waits on the next instant, since a timer of the event
 * loop fires up to 1.6 ms early or more than a millisecond late. The receiver of the wake-up looks at the clock again.
 */
export function createTicker(onWake: () => void): Ticker {
  const shared = new SharedArrayBuffer(16);
  const next = new Float64Array(shared, 0, 1);
  const signal = new Int32Array(shared, 8, 1);
  next[0] = Number.POSITIVE_INFINITY;
  const worker = new Worker(new URL("./ticker-thread.ts", import.meta.url), { workerData: shared });
  let asked = Number.POSITIVE_INFINITY;

  worker.on("message", () => {
    asked = Number.POSITIVE_INFINITY;
    onWake();
  });
  worker.on("error", (error) => {
    throw error;
  });

  return {
    wakeAt(monotonicMs) {
      if (monotonicMs >= asked) return;
      asked = monotonicMs;
      next[0] = monotonicMs;
      Atomics.add(signal, 0, 1);
      Atomics.notify(signal, 0);
    },
    async close() {
      await worker.terminate();
    },
  };
}
