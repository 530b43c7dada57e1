import { parentPort, workerData } from "node:worker_threads";

const shared = workerData as SharedArrayBuffer;
const version = new Int32Array(shared, 0, 2);
const instants = new Float64Array(shared, 8);
const now = () => Number(process.hrtime.bigint()) / 1e6;

let wokenAt = 0;
for (;;) {
  // Read the signal before the list: a signal in between makes the wait below return at once.
  const signal = Atomics.load(version, 1);
  const before = Atomics.load(version, 0);
  let next = Number.POSITIVE_INFINITY;
  for (const instant of instants) if (instant > wokenAt && instant < next) next = instant;
  if (before % 2 === 1 || Atomics.load(version, 0) !== before) continue;
  const waitMs = next - now();
  if (waitMs > 0) {
    Atomics.wait(version, 1, signal, waitMs);
  } else {
    wokenAt = now();
    parentPort?.postMessage(0);
  }
}
