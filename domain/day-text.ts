import { MONTHS, monthNamed, WEEKDAYS, weekdayNamed, YEARS_TO_29_FEB_MAX } from "./calendar-words.ts";
import { addDays, isRealTime, type LocalTime, type TimeOfDay, utcOf, weekdayOf } from "./local-time.ts";

/** A day that a text names. */
export type Day = {
  /** The local time at a time of that day; null when there is none, and a message when the text contradicts itself. */
  find: (time: TimeOfDay) => LocalTime | null | string;
  /** The time of day that the text implies, if any. */
  time?: TimeOfDay;
};

/**
 * The day that a text (lower case) names, with `now` as the current local time; without a year, the next one on which the time
 * of day is in the future. The empty text is the next day with that time. A message when the text has two readings; null when
 * it names no day. `next Monday` is never today.
 */
export function findDay(text: string, now: LocalTime): Day | { message: string } | null {
  const day = text.replace(/^on /, "").replace(/^(?:the|this) (?=.)/, "");
  return (
    findNear(day, now) ?? findWeekday(day, now) ?? findEdge(day, now) ?? findNumbers(day, now) ?? findNamed(day, now)
  );
}

function findNear(day: string, now: LocalTime): Day | null {
  if (day === "") return { find: (time) => (isAhead(on(now, 0, time), now) ? on(now, 0, time) : on(now, 1, time)) };
  // "this" stands before "morning".
  if (day === "today" || day === "this") return { find: (time) => on(now, 0, time) };
  if (day === "tomorrow") return { find: (time) => on(now, 1, time) };
  if (day === "day after tomorrow") return { find: (time) => on(now, 2, time) };
  // A time after midnight belongs to the night before.
  if (day === "tonight") return { find: (time) => on(now, time.hour < 6 ? 1 : 0, time), time: TONIGHT };
  return null;
}

function findWeekday(day: string, now: LocalTime): Day | null {
  const name = day.replace(/^next /, "");
  const weekday = weekdayNamed(name);
  if (weekday < 0) return null;
  const days = (weekday - weekdayOf(now) + 7) % 7;
  if (name !== day) return { find: (time) => on(now, days === 0 ? 7 : days, time) };
  return { find: (time) => (isAhead(on(now, days, time), now) ? on(now, days, time) : on(now, days + 7, time)) };
}

/** The end or the start of a day, month or year. */
function findEdge(day: string, now: LocalTime): Day | { message: string } | null {
  const [, edge = "", which, period] =
    /^(end|start|beginning|last day|first day|1st|first) of (?:the |this )?(next )?(day|week|month|year)$/.exec(day) ??
    [];
  if (period === undefined) return null;
  if (period === "week") return { message: "Weeks end on different days. Name the day, such as “Sunday 23:59”." };
  const isEnd = edge === "end" || edge === "last day";
  const isWholeDay = !["end", "start", "beginning"].includes(edge);
  if (period === "day")
    return isWholeDay ? null : { find: (time) => on(now, which ? 1 : 0, time), time: edgeOf(isEnd) };
  const ahead = which ? 1 : 0;
  const month = period === "month" ? now.month + ahead : isEnd ? 12 : 1;
  const year = period === "year" ? now.year + ahead : now.year;
  const first = addDays({ ...now, year, month, day: 1 }, 0);
  const last = addDays({ ...now, year, month: month + 1, day: 1 }, -1);
  const find = (time: TimeOfDay) => on(isEnd ? last : first, 0, time);
  return isWholeDay ? { find } : { find, time: edgeOf(isEnd) };
}

/** Dates in figures: `2026-12-25`, `25.12.`, `25.12.2026`, and with slashes where only one reading is a date. */
function findNumbers(day: string, now: LocalTime): Day | { message: string } | null {
  const [, isoYear, , isoMonth, isoDay] = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/.exec(day) ?? [];
  if (isoYear !== undefined) return dated(now, Number(isoDay), Number(isoMonth), Number(isoYear));
  const [, dotDay, dotMonth, dotYear] = /^(\d{1,2})\. ?(\d{1,2})(?:\.(?: ?(\d{4}|\d\d))?)?$/.exec(day) ?? [];
  if (dotDay !== undefined) return dated(now, Number(dotDay), Number(dotMonth), yearOf(dotYear));
  const [, pair, a, b, year] = /^((\d{1,2})[-/](\d{1,2}))(?:[-/](\d{4}|\d\d))?$/.exec(day) ?? [];
  if (a === undefined) return null;
  const [first, second] = [Number(a), Number(b)];
  const isMonth = (n: number) => n >= 1 && n <= 12;
  if (isMonth(first) && isMonth(second) && first !== second) {
    const name = (ofDay: number, month: number) => `${ofDay} ${MONTHS[month - 1]?.replace(/^./, capital)}`;
    return { message: `“${pair}” is ${name(first, second)} or ${name(second, first)}. Name the month.` };
  }
  return isMonth(second) ? dated(now, first, second, yearOf(year)) : dated(now, second, first, yearOf(year));
}

/** A day with the name of its month, or `the 25th`, with its weekday before it if need be. */
function findNamed(text: string, now: LocalTime): Day | null {
  const [, prefix = "", rest = text] = /^([a-z]{3,9})\.?,? (.+)$/.exec(text) ?? [];
  const weekday = weekdayNamed(prefix);
  const day = weekday < 0 ? text : rest.replace(/^the /, "");
  const found = findNthOrNamed(day, now) ?? (weekday < 0 ? null : asDay(findNumbers(day, now)));
  if (found === null || weekday < 0) return found;
  return {
    find: (time) => {
      const local = found.find(time);
      if (local === null || typeof local === "string" || weekdayOf(local) === weekday) return local;
      return `That day is a ${WEEKDAYS[weekdayOf(local)]?.replace(/^./, capital)}.`;
    },
  };
}

function findNthOrNamed(day: string, now: LocalTime): Day | null {
  const [, nth] = /^(\d{1,2})(?:st|nd|rd|th)$/.exec(day) ?? [];
  if (nth !== undefined) return nextOf(now, (months) => ({ ...monthsAfter(now, months), day: Number(nth) }));
  const [, first = "", second = "", year] = /^(\w+)\.?,? (?:of )?(\w+)\.?,?(?: (\d{4}))?$/.exec(day) ?? [];
  const [number, name] = /^\d/.test(first) ? [first, second] : [second, first];
  const month = monthNamed(name);
  const [, dayText] = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(number) ?? [];
  return month === 0 || dayText === undefined
    ? null
    : dated(now, Number(dayText), month, year ? Number(year) : undefined);
}

function dated(now: LocalTime, day: number, month: number, year: number | undefined): Day {
  if (year === undefined) return nextOf(now, (years) => ({ year: now.year + years, month, day }));
  return { find: (time) => real({ year, month, day, ...part(time) }) };
}

/** The first of several days, a month or a year apart, that exists and on which the time of day is ahead. */
function nextOf(now: LocalTime, dayAfter: (periods: number) => Omit<LocalTime, keyof TimeOfDay>): Day {
  return {
    find: (time) =>
      Array.from({ length: YEARS_TO_29_FEB_MAX + 1 }, (_, periods) =>
        real({ ...dayAfter(periods), ...part(time) }),
      ).find((local) => isAhead(local, now)) ?? null,
  };
}

const TONIGHT: TimeOfDay = { hour: 20, minute: 0, second: 0 };

function monthsAfter(now: LocalTime, months: number): { year: number; month: number } {
  const { year, month } = addDays({ ...now, month: now.month + months, day: 1 }, 0);
  return { year, month };
}

function on(base: LocalTime, days: number, time: TimeOfDay): LocalTime | null {
  return real({ ...addDays({ ...base, hour: 0, minute: 0, second: 0 }, days), ...part(time) });
}

const edgeOf = (isEnd: boolean): TimeOfDay =>
  isEnd ? { hour: 23, minute: 59, second: 0 } : { hour: 0, minute: 0, second: 0 };
const asDay = (found: Day | { message: string } | null): Day | null =>
  found !== null && "message" in found ? { find: () => found.message } : found;
const yearOf = (text: string | undefined) =>
  text === undefined ? undefined : Number(text) + (text.length === 2 ? 2_000 : 0);
const part = ({ hour, minute, second }: TimeOfDay): TimeOfDay => ({ hour, minute, second });
const real = (local: LocalTime): LocalTime | null => (isRealTime(local) ? local : null);
const isAhead = (local: LocalTime | null, now: LocalTime) => local !== null && utcOf(local) > utcOf(now);
const capital = (letter: string) => letter.toUpperCase();
