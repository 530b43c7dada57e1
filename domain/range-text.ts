import { foldAscii } from "./ascii.ts";
import { monthNamed } from "./calendar-words.ts";
import { parseDuration } from "./duration.ts";
import { addDays, type LocalTime, weekdayOf } from "./local-time.ts";
import { dayFrom, instantOf, type RangeClock, type RangePoint, readRangePoint } from "./range-point.ts";
import { localTimeAt } from "./zoned-time.ts";

/** From `fromMs` on and before `toMs`, epoch ms; null: without that end. */
export type TimeRange = { fromMs: number | null; toMs: number | null };

/** A range, or why the text is none. */
export type RangeText = ({ ok: true } & TimeRange) | { ok: false; message: string };

/**
 * Reads a range of time as people write it: `yesterday`, `last night` (18:00 to 06:00), `last 7 days`, `24h`, `this month`, `March`,
 * `Monday 09:00 to 17:00`, `1 Mar to 7 Mar` (the last day included), `since 09:00`, or two instants in RFC 3339. A rolling
 * range such as `last hour` ends or begins now.
 */
export function readRange(text: string, clock: RangeClock): RangeText {
  const words = foldAscii(text).replace(/\s+/g, " ").trim();
  const range = rolling(words, clock) ?? calendar(words, clock) ?? partOfDay(words, clock) ?? open(words, clock);
  if (range) return whole(range);
  const ends = /^(?:from |between )?(.+?)(?: to | until | till | and | ?– ?| - | ?\.\. ?)(.+)$/.exec(words);
  const single = ends ? null : readRangePoint(words, clock);
  if (single?.kind === "day") return whole(dayRange(single.day, 1, clock));
  if (single) return { ok: false, message: "Name both ends of a range, such as “09:00 to 10:00”." };
  const [from, to] = [readRangePoint(ends?.[1] ?? "", clock), readRangePoint(ends?.[2] ?? "", clock)];
  return from && to ? between(from, to, clock) : { ok: false, message: UNKNOWN };
}

const UNKNOWN =
  "This range is not understood. Write “yesterday”, “last 7 days”, “Monday 09:00 to 17:00” or “1 Mar to 7 Mar”.";
const REVERSED = "The range ends before it begins.";

function whole({ fromMs, toMs }: TimeRange): RangeText {
  if (fromMs !== null && toMs !== null && fromMs >= toMs) return { ok: false, message: REVERSED };
  return { ok: true, fromMs, toMs };
}

const UNITS_MS = new Map<string, number>([
  ...["m", "min", "mins", "minute", "minutes"].map((name) => [name, 60_000] as const),
  ...["h", "hr", "hrs", "hour", "hours"].map((name) => [name, 3_600_000] as const),
  ...["d", "day", "days"].map((name) => [name, 86_400_000] as const),
  ...["w", "week", "weeks"].map((name) => [name, 604_800_000] as const),
]);

/** `last 7 days`, `next hour`, `24h`. A bare `last week` is a week of the calendar. */
function rolling(words: string, { nowMs }: RangeClock): TimeRange | null {
  const [, side = "last", count, unit = "", compact = ""] =
    /^(?:in the )?(?:(last|past|next) )?(?:(?:(\d{1,6}) ?)?([a-z]+)|((?:\d+[a-z])+))$/.exec(words) ?? [];
  const unitMs = UNITS_MS.get(unit);
  const isBare =
    unitMs !== undefined && count === undefined && (!/^(?:in the )?(?:last|past|next) /.test(words) || /w/.test(unit));
  const ms = compact === "" ? (unitMs ?? 0) * Number(count ?? 1) : parseDuration(compact);
  if (isBare || !ms) return null;
  return side === "next" ? { fromMs: nowMs, toMs: nowMs + ms } : { fromMs: nowMs - ms, toMs: nowMs };
}

/** `this month`, `last week`, `next month`, `March`, `March 2026`. */
function calendar(words: string, clock: RangeClock): TimeRange | null {
  const today = dayFrom(clock, 0);
  const [, which, unit] = /^(this|last|next) (week|month|year)$/.exec(words) ?? [];
  const steps = which === "last" ? -1 : which === "next" ? 1 : 0;
  if (unit === "week") return dayRange(addDays(today, 7 * steps - ((weekdayOf(today) + 6) % 7)), 7, clock);
  if (unit === "month") return monthRange(today.year, today.month + steps, 1, clock);
  if (unit === "year") return monthRange(today.year + steps, 1, 12, clock);
  const [, name = "", yearText] = /^([a-z]+)(?: (\d{4}))?$/.exec(words) ?? [];
  const month = monthNamed(name);
  if (month === 0) return null;
  const isAcross = clock.lean === "past" ? month > today.month : month < today.month;
  const nearest = today.year + (isAcross ? (clock.lean === "past" ? -1 : 1) : 0);
  return monthRange(yearText === undefined ? nearest : Number(yearText), month, 1, clock);
}

/** The hours at which the parts of a day begin and end; a night ends on the next day. */
const PARTS = new Map(
  Object.entries({ morning: [6, 12], afternoon: [12, 18], evening: [18, 24], night: [18, 30] } as const),
);

/** `last night`, `tonight`, `this morning`, `yesterday evening`. */
function partOfDay(words: string, clock: RangeClock): TimeRange | null {
  const [, dayText = "", name = ""] = /^(?:(\w+) )?(\w+)$/.exec(words === "tonight" ? "this night" : words) ?? [];
  const part = PARTS.get(name);
  if (!part) return null;
  const isLastNight = dayText === "last" && name === "night";
  const named = isLastNight ? "yesterday" : dayText === "this" || dayText === "" ? "today" : dayText;
  const day = readRangePoint(named, clock);
  if (day?.kind !== "day") return null;
  return { fromMs: atHour(day.day, part[0], clock), toMs: atHour(day.day, part[1], clock) };
}

/** `since 09:00`, `until tomorrow`. An open range ends before the day that it names, as `before` says. */
function open(words: string, clock: RangeClock): TimeRange | null {
  const [, side, text = ""] = /^(since|from|after|until|till|before) (?!.* to )(.+)$/.exec(words) ?? [];
  const point = readRangePoint(text, clock);
  if (side === undefined || point === null) return null;
  const isStart = side === "since" || side === "from" || side === "after";
  if (isStart)
    return {
      fromMs: side === "after" && point.kind === "day" ? endOf(point, clock) : startOf(point, clock),
      toMs: null,
    };
  return { fromMs: null, toMs: side === "before" ? startOf(point, clock) : endOf(point, clock) };
}

function between(from: RangePoint, to: RangePoint, clock: RangeClock): RangeText {
  const fromMs = startOf(from, clock);
  if (to.kind !== "time") return whole({ fromMs, toMs: endOf(to, clock) });
  // A time without a day is on the day of the beginning, or in the night after it.
  const day = from.kind === "day" ? from.day : localTimeAt(fromMs, clock.zone);
  const toMs = instantOf({ ...day, ...to.time }, clock.zone);
  return whole({ fromMs, toMs: toMs > fromMs ? toMs : instantOf(addDays({ ...day, ...to.time }, 1), clock.zone) });
}

function startOf(point: RangePoint, clock: RangeClock): number {
  if (point.kind === "instant") return point.epochMs;
  return instantOf(point.kind === "day" ? point.day : { ...dayFrom(clock, 0), ...point.time }, clock.zone);
}

const endOf = (point: RangePoint, clock: RangeClock) =>
  point.kind === "day" ? instantOf(addDays(point.day, 1), clock.zone) : startOf(point, clock);

const dayRange = (day: LocalTime, days: number, { zone }: RangeClock): TimeRange => ({
  fromMs: instantOf(day, zone),
  toMs: instantOf(addDays(day, days), zone),
});

/** `months` whole months; `month` may be past the ends of its year. */
function monthRange(year: number, month: number, months: number, { zone }: RangeClock): TimeRange {
  const first = (of: number) => addDays({ year, month: of, day: 1, hour: 0, minute: 0, second: 0 }, 0);
  return { fromMs: instantOf(first(month), zone), toMs: instantOf(first(month + months), zone) };
}

function atHour(day: LocalTime, hour: number, { zone }: RangeClock): number {
  return instantOf({ ...addDays(day, Math.floor(hour / 24)), hour: hour % 24 }, zone);
}
