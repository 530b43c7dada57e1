const DATE_TIME = String.raw`(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?`;
const INSTANT = new RegExp(`^${DATE_TIME}(?:Z|([+-])(\\d\\d):(\\d\\d))$`);
const LOCAL = new RegExp(`^${DATE_TIME}$`);
const YEAR_1_MS = -62_135_596_800_000;
const YEAR_9999_END_MS = 253_402_300_799_999;

/** An RFC 3339 instant in epoch ms, rounded up; null for anything else, and for dates that do not exist. */
export function parseInstant(text: string): number | null {
  const match = INSTANT.exec(text);
  if (!match) return null;
  const [sign, hours = "0", minutes = "0"] = match.slice(8);
  const utc = readDateTime(match);
  if (!utc || +hours > 23 || +minutes > 59) return null;
  const ms = utc.ms + utc.fractionMs - (+hours * 60 + +minutes) * 60_000 * (sign === "-" ? -1 : 1);
  return ms >= YEAR_1_MS && isInRange(ms) ? ms : null;
}

/** A local time: what its clocks show, as if they were UTC's (epoch ms), and the fraction of the second, 0 to 1000 ms. */
export type LocalTime = { ms: number; fractionMs: number };

/** A date and a time of day without an offset, from 1970 on; null for anything else. */
export function parseLocalTime(text: string): LocalTime | null {
  const match = LOCAL.exec(text);
  const local = match && readDateTime(match);
  return local && local.ms >= 0 ? local : null;
}

/** Whether an instant is in the year 9999 or before. */
export function isInRange(ms: number): boolean {
  return ms <= YEAR_9999_END_MS;
}

function readDateTime(match: readonly (string | undefined)[]): LocalTime | null {
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((digits) => +(digits ?? 0)) as Six;
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return null;
  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCDate() !== day) return null;
  const fractionMs = Math.ceil(+(match[7] ?? "").padEnd(9, "0") / 1_000_000);
  return { ms: date.setUTCHours(hour, minute, second), fractionMs };
}

type Six = [number, number, number, number, number, number];
