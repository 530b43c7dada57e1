import type { RescheduleInput, Schedule } from "../types.ts";

/**
 * Whether a schedule has the time that a PATCH asked for; the PATCH ran between the two times, epoch ms. False for a
 * local time, since only the service knows the zones.
 */
export function isMoved(
  input: RescheduleInput,
  { fire_at, early_fire }: Schedule,
  fromMs: number,
  toMs: number,
): boolean {
  const { fireAt, fireIn, fireAtLocal, earlyFire = early_fire } = input;
  const atMs = Date.parse(fire_at);
  if (earlyFire !== early_fire || fireAtLocal) return false;
  // The service rounds up to a millisecond, Date rounds down.
  if (fireAt) return [0, 1].includes(atMs - +new Date(fireAt));
  if (!fireIn) return true;
  let inMs = 0;
  // `1h30m` or `PT90M`. The service has accepted the form.
  for (const [, count, unit] of fireIn.toLowerCase().matchAll(/([\d.]+)([wdhms])/g))
    inMs += +(count as string) * UNITS_MS[unit as keyof typeof UNITS_MS];
  return atMs >= fromMs + inMs && atMs <= toMs + inMs;
}

const UNITS_MS = { w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };
