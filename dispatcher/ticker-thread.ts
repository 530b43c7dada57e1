import { parentPort, workerData } from "node:worker_threads";

const next = new Float64Array(workerData, 0, 1);
const signal = new Int32Array(workerData, 8, 1);

// The signal is read before the instant: an instant set in between makes the waits below return at once, and costs at
// most one wake-up too many. This thread writes neither.
for (;;) {
  const seen = Atomics.load(signal, 0);
  const waitMs = (next[0] as number) - Number(process.hrtime.bigint()) / 1e6;
  if (waitMs > 0) {
    Atomics.wait(signal, 0, seen, waitMs);
  } else {
    parentPort?.postMessage(0);
    Atomics.wait(signal, 0, seen);
  }
}
