import { StopwatchError } from "../error.ts";
import { pause } from "./bounded.ts";
import type { CallOptions } from "./call.ts";
import { checkNumber } from "./invalid.ts";

type Poll<T> = {
  read: (options: CallOptions) => Promise<T>;
  /** How long to wait before the next look, in milliseconds; null at the end. */
  waitMs: (value: T) => number | null;
  timeoutMs: number;
};

/** Reads again and again, outages included, until the end. Throws TIMEOUT when that has not come in time. */
export async function poll<T extends { id: string; status: string }>(
  { read, waitMs, timeoutMs: defaultMs }: Poll<T>,
  { signal, timeoutMs = defaultMs, maxRetries = Infinity }: CallOptions = {},
): Promise<T> {
  checkNumber("timeoutMs", timeoutMs, 1);
  const endMs = performance.now() + timeoutMs;
  const leftMs = () => Math.max(1, endMs - performance.now());
  for (;;) {
    const value = await read({ signal, timeoutMs: leftMs(), maxRetries });
    const ms = waitMs(value);
    if (ms === null) return value;
    await pause(Math.min(ms, leftMs()), signal);
    if (performance.now() >= endMs)
      throw new StopwatchError("TIMEOUT", `${value.id} is still ${value.status} after timeoutMs, ${timeoutMs}`);
  }
}
