const STEP_MS = 50;
/** What a pause of the process counts for. */
const PAUSE_MS = 2 * STEP_MS;

/**
 * Counts from now on the time in which this process ran, ms: what the code in it can be held to. A pause, in which a busy
 * machine runs something else, counts for 100 ms. Computing that blocks the event loop counts in full, by its processor time.
 * Returns a function that ends the count and returns it.
 */
export function countRunTime(): () => number {
  let ranMs = 0;
  let sinceMs = performance.now();
  let used = process.cpuUsage();
  const step = () => {
    const nowMs = performance.now();
    const { user, system } = process.cpuUsage(used);
    ranMs += Math.min(nowMs - sinceMs, PAUSE_MS + (user + system) / 1_000);
    sinceMs = nowMs;
    used = process.cpuUsage();
  };
  const timer = setInterval(step, STEP_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    step();
    return ranMs;
  };
}
