import type { RescheduleInput, Schedule } from "../types.ts";
import type { During } from "./read-back.ts";

/** Whether a schedule is where a PATCH that was sent `during` that time was to put it. */
export function isMoved({ fire_at, early_fire }: Schedule, input: RescheduleInput, { fromMs, toMs }: During): boolean {
  const { fireAt, fireIn, fireAtLocal, earlyFire } = input;
  const atMs = Date.parse(fire_at);
  if (earlyFire !== undefined && earlyFire !== early_fire) return false;
  // Rounded up to a millisecond by the service, down by Date.
  if (fireAt !== undefined) return [0, 1].includes(atMs - +new Date(fireAt));
  if (fireIn === undefined) return fireAtLocal === undefined;
  const inMs = readDuration(fireIn);
  return atMs >= fromMs + inMs && atMs <= toMs + inMs;
}

const UNIT_MS: { [unit: string]: number } = { w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };

/** `90s`, `1h30m` and `PT90M` in milliseconds. The service has accepted the form. */
function readDuration(text: string): number {
  let ms = 0;
  for (const [, count, unit = ""] of text.toLowerCase().matchAll(/([\d.]+)([a-z])/g))
    ms += Number(count) * (UNIT_MS[unit] ?? NaN);
  return ms;
}
