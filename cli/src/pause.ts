import { setTimeout } from "node:timers/promises";

/** Waits. Throws the signal's reason when it is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await pauseUntil(ms, signal);
  signal.throwIfAborted();
}

/** Waits, but not longer than until `signal` is aborted. */
export async function pauseUntil(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => {});
}
