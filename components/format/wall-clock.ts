import { firstInstantOf, localTimeAt, offsetMsAt, resolveLocalTime } from "#domain/zoned-time.ts";

/**
 * The instant of a local time (`2026-03-27T14:34`, as `datetime-local` writes it, seconds optional) in `zone`, an IANA
 * name; null for any other text. When clocks go back it is the first of two instants; when they skip the time, the one
 * by the offset before the change.
 */
export function instantOfWallClock(text: string, zone: string): Date | null {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/.test(text)) return null;
  const asUtc = Date.parse(`${text}Z`);
  if (Number.isNaN(asUtc)) return null;
  return new Date(firstInstantOf(resolveLocalTime(localTimeAt(asUtc, "UTC"), zone)));
}

/** The local time of an instant in `zone`, to the minute: `2026-03-27T14:34`. */
export function wallClockOf(at: Date, zone: string): string {
  return new Date(at.getTime() + offsetMsAt(at.getTime(), zone)).toISOString().slice(0, 16);
}

/** When the day of an instant begins in `zone`. */
export function dayStart(at: Date, zone: string): Date {
  return instantOfWallClock(`${wallClockOf(at, zone).slice(0, 10)}T00:00`, zone) ?? at;
}
