import { patient } from "./patience.ts";
import { pause } from "./time.ts";

/**
 * Waits until `condition` holds, and checks it every 20 ms. A wait of more than `softMs` is noted: `npm test` prints it at the
 * end. Fails with `what` at the hard deadline (`patient`).
 */
export async function waitFor<T>(
  what: string,
  condition: () => T | Promise<T>,
  softMs = 30_000,
): Promise<NonNullable<Exclude<T, false>>> {
  const startedMs = performance.now();
  for (;;) {
    const value = await condition();
    const waitedMs = Math.round(performance.now() - startedMs);
    if (value) {
      if (waitedMs > softMs) console.warn(`slow: waited ${waitedMs} instead of ${softMs} ms: ${what}`);
      return value as NonNullable<Exclude<T, false>>;
    }
    if (waitedMs > patient(softMs)) throw new Error(`waited ${waitedMs} ms in vain: ${what}`);
    await pause(20);
  }
}
