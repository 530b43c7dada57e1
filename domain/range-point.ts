import { foldAscii } from "./ascii.ts";
import { monthNamed, weekdayNamed, YEARS_TO_29_FEB_MAX } from "./calendar-words.ts";
import { parseInstant } from "./instant.ts";
import { addDays, isRealTime, type LocalTime, type TimeOfDay, weekdayOf } from "./local-time.ts";
import { firstInstantOf, localTimeAt, resolveLocalTime } from "./zoned-time.ts";

/** The current time (epoch ms), the IANA zone of local times, and on which side of now a day without a year is. */
export type RangeClock = { nowMs: number; zone: string; lean: "past" | "future" };

/** One end of a range: an instant (epoch ms), a whole local day, or a time of day without a day. */
export type RangePoint =
  | { kind: "instant"; epochMs: number }
  | { kind: "day"; day: LocalTime }
  | { kind: "time"; time: TimeOfDay };

/**
 * Reads one end of a range: `now`, RFC 3339, a day (`yesterday`, `Monday`, `27 Mar`, `2026-03-27`), a time of day (`09:00`, `9pm`,
 * `noon`), or a day and a time. A weekday, or a day without a year, is today or the nearest one on the side of `lean`. Null for
 * anything else.
 */
export function readRangePoint(text: string, clock: RangeClock): RangePoint | null {
  const instantMs = parseInstant(text.toUpperCase());
  if (instantMs !== null) return { kind: "instant", epochMs: instantMs };
  const words = foldAscii(text).replace(/\s+/g, " ").trim();
  if (words === "now") return { kind: "instant", epochMs: clock.nowMs };
  const [, dayText = words, timeText] =
    /^(.*?)(?:,? at |,? |t)?(\d{1,2}:\d\d(?::\d\d)?|\d{1,2} ?[ap]m|noon|midnight)$/.exec(words) ?? [];
  const time = timeText === undefined ? null : readTimeOfDay(timeText);
  if (timeText !== undefined && time === null) return null;
  if (dayText === "") return time && { kind: "time", time };
  const day = readDay(dayText, clock);
  if (day === null) return null;
  return time ? { kind: "instant", epochMs: instantOf({ ...day, ...time }, clock.zone) } : { kind: "day", day };
}

/** The instant of a local time in a zone, epoch ms. */
export function instantOf(local: LocalTime, zone: string): number {
  return firstInstantOf(resolveLocalTime(local, zone));
}

/** The beginning of the local day that is `days` after today. */
export function dayFrom({ nowMs, zone }: RangeClock, days: number): LocalTime {
  return addDays({ ...localTimeAt(nowMs, zone), hour: 0, minute: 0, second: 0 }, days);
}

function readTimeOfDay(text: string): TimeOfDay | null {
  if (text === "noon") return { hour: 12, minute: 0, second: 0 };
  if (text === "midnight") return { hour: 0, minute: 0, second: 0 };
  const [, hour = "", minute = "0", second = "0", half] = /^(\d+)(?::(\d+))?(?::(\d+))? ?([ap]m)?$/.exec(text) ?? [];
  const [given, time] = [Number(hour), { minute: Number(minute), second: Number(second) }];
  if (half !== undefined && (given < 1 || given > 12)) return null;
  const read = { hour: half === undefined ? given : (given % 12) + (half === "pm" ? 12 : 0), ...time };
  return read.hour < 24 && read.minute < 60 && read.second < 60 ? read : null;
}

const DAYS = new Map(Object.entries({ today: 0, yesterday: -1, tomorrow: 1 }));

function readDay(words: string, clock: RangeClock): LocalTime | null {
  const days = DAYS.get(words);
  if (days !== undefined) return dayFrom(clock, days);
  const weekday = weekdayNamed(words);
  const today = dayFrom(clock, 0);
  if (weekday >= 0) {
    const ahead = (weekday - weekdayOf(today) + 7) % 7;
    return addDays(today, clock.lean === "future" || ahead === 0 ? ahead : ahead - 7);
  }
  const [, isoYear, isoMonth, isoDay] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(words) ?? [];
  if (isoYear !== undefined) return realDay(Number(isoYear), Number(isoMonth), Number(isoDay));
  const [, first = "", second = "", year] = /^(\w+)\.?,? (\w+)\.?,?(?: (\d{4}))?$/.exec(words) ?? [];
  const [number, name] = /^\d/.test(first) ? [first, second] : [second, first];
  const month = monthNamed(name);
  const [, dayText] = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(number) ?? [];
  if (month === 0 || dayText === undefined) return null;
  if (year !== undefined) return realDay(Number(year), month, Number(dayText));
  const years = Array.from(
    { length: YEARS_TO_29_FEB_MAX + 1 },
    (_, n) => today.year + (clock.lean === "past" ? -n : n),
  );
  const key = (day: LocalTime) => Date.UTC(day.year, day.month - 1, day.day);
  const isOnSide = (day: LocalTime | null) =>
    day !== null && (clock.lean === "past" ? key(day) <= key(today) : key(day) >= key(today));
  return years.map((one) => realDay(one, month, Number(dayText))).find(isOnSide) ?? null;
}

function realDay(year: number, month: number, day: number): LocalTime | null {
  const local = { year, month, day, hour: 0, minute: 0, second: 0 };
  return isRealTime(local) ? local : null;
}
