import { pause } from "./time.ts";

/** Waits until `condition` holds (looked at every 20 ms); fails with `what` when it does not within `deadlineMs`. */
export async function waitFor<T>(
  what: string,
  condition: () => T | Promise<T>,
  deadlineMs = 15_000,
): Promise<NonNullable<Exclude<T, false>>> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const value = await condition();
    if (value) return value as NonNullable<Exclude<T, false>>;
    if (performance.now() > end) throw new Error(`waited ${deadlineMs} ms in vain: ${what}`);
    await pause(20);
  }
}
