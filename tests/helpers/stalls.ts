import { countRunTime } from "./run-time.ts";

/**
 * Counts from now on the time in which this process did not run, ms: what the code in it cannot be held to. It is the
 * part of each pause of the process that `countRunTime` leaves out. Returns a function that ends the count and returns it.
 */
export function countStalls(): () => number {
  const sinceMs = performance.now();
  const ran = countRunTime();
  return () => {
    const ranMs = ran();
    return performance.now() - sinceMs - ranMs;
  };
}
