import { pause } from "./time.ts";

/**
 * Waits until `condition` holds, and checks it every 20 ms. Fails with `what` when it does not hold before
 * `deadlineMs`.
 */
export async function waitFor<T>(
  what: string,
  condition: () => T | Promise<T>,
  deadlineMs = 30_000,
): Promise<NonNullable<Exclude<T, false>>> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const value = await condition();
    if (value) return value as NonNullable<Exclude<T, false>>;
    if (performance.now() > end) throw new Error(`waited ${deadlineMs} ms in vain: ${what}`);
    await pause(20);
  }
}
