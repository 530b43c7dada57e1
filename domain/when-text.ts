import { foldAscii } from "./ascii.ts";
import { parseDuration } from "./duration.ts";
import { parseInstant } from "./instant.ts";
import { addDays, isRealTime, type LocalTime, parseLocalTime, weekdayOf } from "./local-time.ts";
import { localTimeAt } from "./zoned-time.ts";

/** The result of reading a text: an instant (epoch ms), a wait from now (ms), a local time of the zone, or an error. */
export type When =
  | { kind: "instant"; epochMs: number }
  | { kind: "wait"; ms: number }
  | { kind: "local"; local: LocalTime }
  | { kind: "fault"; message: string };

/**
 * Reads a time as people write it, with `nowMs` as the current time, in an IANA zone: `in 30m`, `+1 h 30 min`,
 * `PT30M`, `tomorrow 09:00`, `Monday 9am`, `18:30`, `1 Apr 09:00`, `2026-03-30 09:00`, or RFC 3339. `in 2 days` means 48 hours.
 * A time without a day, or a day without a year, is the next one in the future. `next Monday` is never today.
 */
export function readWhen(text: string, { nowMs, zone }: { nowMs: number; zone: string }): When {
  const written = text.trim();
  const instantMs = parseInstant(written);
  if (instantMs !== null) return { kind: "instant", epochMs: instantMs };
  const words = foldAscii(written).replace(/\s+/g, " ");
  const waitMs = parseDuration(written) ?? readDuration(words);
  if (waitMs !== null)
    return CAPITAL_M.test(written) && !written.startsWith("P") ? fault(UNCLEAR_M) : { kind: "wait", ms: waitMs };
  if (MONTHS_COUNTED.test(words)) return fault(UNCOUNTED_MONTHS);
  const local = parseLocalTime(written.replace(/^(\d{4}-\d\d-\d\d) +/, "$1T"));
  if (local !== null) return { kind: "local", local };
  return readDayAndTime(words, nowMs, zone);
}

const UNITS_MS = new Map<string, number>(
  Object.entries({
    ...unit(1_000, "s", "sec", "secs", "second", "seconds"),
    ...unit(60_000, "m", "min", "mins", "minute", "minutes"),
    ...unit(3_600_000, "h", "hr", "hrs", "hour", "hours"),
    ...unit(86_400_000, "d", "day", "days"),
    ...unit(604_800_000, "w", "week", "weeks"),
  }),
);
/** `1M` means a month to some: ISO 8601 and cron tools write it so. */
const CAPITAL_M = /\d\s*M(?![A-Za-z])/;
const MONTHS_COUNTED = /^(?:in |\+ ?)?\d+ ?(?:mo|mos|mth|mths|months?|y|yrs?|years?)\b|^p\d[^t]*[ym]/;
const WAIT_MAX_MS = 8_640_000_000_000_000 / 2;

function unit(ms: number, ...names: string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, ms]));
}

/** Reads a duration, such as `in 1 h 30 m`, `+5m` or `90 seconds`, as ms; null when the text is none. */
function readDuration(words: string): number | null {
  const body = words.replace(/^(?:in |\+ ?)/, "");
  if (!/^(?:\d{1,9} ?[a-z]+(?:,? (?:and )?)?)+$/.test(body)) return null;
  let waitMs = 0;
  for (const [, count, name = ""] of body.matchAll(/(\d+) ?([a-z]+)/g)) {
    const unitMs = UNITS_MS.get(name);
    if (unitMs === undefined && name !== "and") return null;
    waitMs += Number(count) * (unitMs ?? 0);
  }
  return waitMs <= WAIT_MAX_MS ? waitMs : null;
}

const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const MONTHS = [
  ...["january", "february", "march", "april", "may", "june"],
  ...["july", "august", "september", "october", "november", "december"],
];
const TIME = /(?:^|(?:,? at |,? ))(\d{1,2})(?::(\d\d)(?::(\d\d))?)? ?(am|pm)?$/;

function readDayAndTime(words: string, nowMs: number, zone: string): When {
  const time = readTime(words);
  const day = time?.day ?? words;
  const now = localTimeAt(nowMs, zone);
  const find = dayFinder(day, now);
  if (find === null) return fault(UNKNOWN);
  if (time === null) return fault(`Name a time of day too, such as “${words.slice(0, 30)} 09:00”.`);
  const local = find(time);
  if (local === null) return fault("The calendar has no such day, or the day no such time.");
  return { kind: "local", local };
}

type Time = Pick<LocalTime, "hour" | "minute" | "second">;

/** The time of day at the end of a text, and the text before it. */
function readTime(words: string): (Time & { day: string }) | null {
  const match = TIME.exec(words);
  if (match === null) return null;
  const [whole, hourText, minute, second = "0", half] = match;
  // A bare number is not a time of day: in "1 april 9" it may be part of the day.
  if (minute === undefined && half === undefined) return null;
  const hour = half === undefined ? Number(hourText) : (Number(hourText) % 12) + (half === "pm" ? 12 : 0);
  if (half !== undefined && (Number(hourText) < 1 || Number(hourText) > 12)) return null;
  return { hour, minute: Number(minute ?? 0), second: Number(second), day: words.slice(0, -whole.length) };
}

/** A function that finds the next day that the text names, at a time of day; null when the text names no day. */
function dayFinder(day: string, now: LocalTime): ((time: Time) => LocalTime | null) | null {
  const at = (days: number, time: Time) =>
    real({ ...addDays({ ...now, hour: 0, minute: 0, second: 0 }, days), ...part(time) });
  const isAhead = (local: LocalTime | null) => local !== null && compare(local, now) > 0;
  if (day === "today") return (time) => at(0, time);
  if (day === "tomorrow") return (time) => at(1, time);
  if (day === "") return (time) => (isAhead(at(0, time)) ? at(0, time) : at(1, time));

  const dayName = day.replace(/^next /, "");
  const weekday = dayName.length >= 3 ? WEEKDAYS.findIndex((name) => name.startsWith(dayName)) : -1;
  if (weekday >= 0) {
    const days = (weekday - weekdayOf(now) + 7) % 7;
    if (dayName !== day) return (time) => at(days === 0 ? 7 : days, time);
    return (time) => (isAhead(at(days, time)) ? at(days, time) : at(days + 7, time));
  }

  const [, first = "", second = "", year] = /^(\w+)\.?,? (\w+)\.?,?(?: (\d{4}))?$/.exec(day) ?? [];
  const [number, name] = /^\d/.test(first) ? [first, second] : [second, first];
  const month = name.length >= 3 ? MONTHS.findIndex((one) => one.startsWith(name)) + 1 : 0;
  const [, dayText] = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(number) ?? [];
  if (month === 0 || dayText === undefined) return null;
  const on = (ofYear: number, time: Time) => real({ year: ofYear, month, day: Number(dayText), ...part(time) });
  if (year !== undefined) return (time) => on(Number(year), time);
  return (time) => {
    const years = Array.from({ length: YEARS_TO_29_FEB_MAX + 1 }, (_, ahead) => now.year + ahead);
    return years.map((year) => on(year, time)).find(isAhead) ?? null;
  };
}

/** From 29 February 1896 to that of 1904: the years of centuries have none but every fourth time. */
const YEARS_TO_29_FEB_MAX = 8;

const part = ({ hour, minute, second }: Time): Time => ({ hour, minute, second });

const real = (local: LocalTime): LocalTime | null => (isRealTime(local) ? local : null);

function compare(a: LocalTime, b: LocalTime): number {
  const key = ({ year, month, day, hour, minute, second }: LocalTime) =>
    Date.UTC(year, month - 1, day, hour, minute, second);
  return key(a) - key(b);
}

const UNKNOWN = "This time is not understood. Write “in 30m”, “tomorrow 09:00”, “Monday 09:00” or “1 Apr 09:00”.";
const UNCLEAR_M = "A minute or a month? Write “min” for minutes. Months have no fixed length: name the day instead.";
const UNCOUNTED_MONTHS = "Months and years have no fixed length. Name the day instead, such as “1 Apr 09:00”.";

function fault(message: string): When {
  return { kind: "fault", message };
}
