/** A time of day without a zone. */
export type TimeOfDay = { hour: number; minute: number; second: number };

/** A date and a time of day without a zone. Months are 1 to 12. */
export type LocalTime = TimeOfDay & { year: number; month: number; day: number };

/** Why a text is not a local time: wrong format; no such date or time; year out of range. */
export type LocalTimeFault = "form" | "calendar" | "years";

/**
 * Reads a date and a time of day, with `T` between them and without an offset: `2026-03-30T09:00`. Seconds and up to nine
 * decimals are optional; `ms` is their fraction, rounded up to a whole number from 0 to 1000. Years are 1970 to 9999.
 */
export function readLocalTime(text: string): { local: LocalTime; ms: number } | LocalTimeFault {
  const match = LOCAL.exec(text);
  if (match === null) return "form";
  const [, year, month, day, hour, minute, second = "0", fraction = ""] = match;
  const local = {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
  };
  if (local.year < YEAR_MIN) return "years";
  return isRealTime(local) ? { local, ms: Math.ceil(Number(fraction.padEnd(9, "0")) / 1_000_000) } : "calendar";
}

/**
 * Reads `2026-03-30T09:00` or `2026-03-30T09:00:00`, as `<input type="datetime-local">` writes it; null for anything
 * else.
 */
export function parseLocalTime(text: string): LocalTime | null {
  const read = readLocalTime(text);
  return typeof read !== "string" && read.ms === 0 ? read.local : null;
}

/** A local time as `<input type="datetime-local">` takes it: `2026-03-30T09:00:00`. */
export function writeLocalTime(local: LocalTime): string {
  return new Date(utcOf(local)).toISOString().slice(0, 19);
}

/** Whether the date exists in the calendar and the time of day is valid. */
export function isRealTime(local: LocalTime): boolean {
  const { year, month, day, hour, minute, second } = readUtc(utcOf(local));
  return (
    local.year >= YEAR_MIN &&
    local.year <= 9999 &&
    ([year, month, day, hour, minute, second] as const).every(
      (part, at) => part === [local.year, local.month, local.day, local.hour, local.minute, local.second][at],
    )
  );
}

/** The local time `days` calendar days later, at the same time of day. */
export function addDays(local: LocalTime, days: number): LocalTime {
  return readUtc(utcOf({ ...local, day: local.day + days }));
}

/** The day of the week of a local time, 0 for Sunday. */
export function weekdayOf(local: LocalTime): number {
  return new Date(utcOf(local)).getUTCDay();
}

/** The epoch ms at which clocks in UTC show a local time. */
export function utcOf({ year, month, day, hour, minute, second }: LocalTime): number {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** What clocks in UTC show at an instant (epoch ms), without fractions of a second. */
export function readUtc(epochMs: number): LocalTime {
  const at = new Date(epochMs);
  return {
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    day: at.getUTCDate(),
    hour: at.getUTCHours(),
    minute: at.getUTCMinutes(),
    second: at.getUTCSeconds(),
  };
}

const YEAR_MIN = 1970;
const LOCAL = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?$/;
