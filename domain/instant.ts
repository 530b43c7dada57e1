/**
 * Parses strict RFC 3339: `T` and an offset (`Z` or `±hh:mm`) in capitals, seconds and up to nine decimals optional,
 * real calendar dates only, no 24:00 and no leap second. Returns epoch milliseconds rounded up, or null. The UTC
 * instant must lie in the years 0001 to 9999, after rounding too. `-00:00` (RFC 3339, 4.3: local offset unknown)
 * still names a UTC instant and is accepted.
 */
export function parseInstant(text: string): number | null {
  const read = readInstant(text);
  return typeof read === "number" ? read : null;
}

/** Why a text is not an instant: wrong format; no such date or time; year out of range; out of range after rounding up. */
export type InstantFault = "form" | "calendar" | "years" | "rounding";

/** Like `parseInstant`, but returns the fault instead of null. */
export function readInstant(text: string): number | InstantFault {
  const match = RFC_3339.exec(text);
  if (match === null) return "form";
  const [, year, month, day, hour, minute, second = "0", fraction = "", sign, offsetHour = "0", offsetMinute = "0"] =
    match;
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return "calendar";
  const localMs = utcMs(Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second));
  if (localMs === null) return "calendar";
  const offsetMs = (Number(offsetHour) * 60 + Number(offsetMinute)) * 60_000 * (sign === "-" ? -1 : 1);
  const wholeMs = localMs - offsetMs;
  const instantMs = wholeMs + Math.ceil(Number(fraction.padEnd(9, "0")) / 1_000_000);
  if (instantMs >= YEAR_1_MS && instantMs <= YEAR_9999_END_MS) return instantMs;
  return instantMs > YEAR_9999_END_MS && wholeMs <= YEAR_9999_END_MS ? "rounding" : "years";
}

/** Writes epoch milliseconds as ISO 8601 UTC with three decimals, such as `2031-01-01T00:00:00.123Z`. */
export function formatInstant(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** As `formatInstant`; null for null. */
export function instantOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : formatInstant(epochMs);
}

/** Epoch milliseconds of a UTC date and time; null when it does not exist. */
export function utcMs(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): number | null {
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return null;
  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCDate() !== day) return null;
  return date.setUTCHours(hour, minute, second);
}

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d\d):(\d\d))$/;
const YEAR_1_MS = -62_135_596_800_000;

/** The last supported instant, 9999-12-31T23:59:59.999Z, epoch ms. */
export const YEAR_9999_END_MS = 253_402_300_799_999;
