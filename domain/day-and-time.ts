import { type Day, findDay } from "./day-text.ts";
import { addDays, type LocalTime, type TimeOfDay, utcOf } from "./local-time.ts";

/**
 * Reads a day and a time of day, lower case, with `now` as the current local time: `tomorrow 09:00`, `noon`, `Monday at 9am`,
 * `tonight`, `25.12. 09:00`, `12/25 9:30 pm`, `9am on 1 April`, `end of month`. A time without a day, or a day without a year, is
 * the next one in the future. Morning is 09:00, afternoon 15:00, evening 18:00, and tonight 20:00 or the time that is named.
 * What two people would read differently is refused, with both readings.
 */
export function readDayAndTime(words: string, now: LocalTime): { local: LocalTime } | { message: string } {
  if (words.trim() === "") return { message: "Say when, such as “tomorrow 09:00”." };
  const { day: dayWords, time } = splitTime(words);
  const day = findDay(dayWords, now);
  const endsWithHour = / \d{1,2}$/.test(words) && findDay(words.replace(/(?: at)? \d{1,2}$/, ""), now) !== null;
  if (day === null) return { message: endsWithHour ? UNCLEAR_HOUR : UNKNOWN };
  if ("message" in day) return day;
  if (time === "midnight") return readMidnight(day, dayWords);
  if (time === null && day.time === undefined) {
    return { message: `Name a time of day too, such as “${words.slice(0, 30)} 09:00”.` };
  }
  const local = day.find(time ?? (day.time as TimeOfDay));
  if (typeof local === "string") return { message: local };
  return local === null ? { message: NO_SUCH } : { local };
}

const NAMED = new Map<string, TimeOfDay | "midnight">(
  Object.entries({
    noon: at(12),
    midday: at(12),
    midnight: "midnight" as const,
    morning: at(9),
    afternoon: at(15),
    evening: at(18),
  }),
);
const CLOCK = String.raw`(\d{1,2})(?::(\d\d)(?::(\d\d))?)? ?([ap]\.?m\.?)?`;
const NAMES = [...NAMED.keys()].join("|");
const AT_END = new RegExp(`(?:^|,? )(?:at |in the )?(?:${CLOCK}|(?:12 (?=noon|mid))?(${NAMES}))$`);
const AT_START = new RegExp(`^(?:at )?(?:${CLOCK}|(?:12 )?(noon|midday|midnight)),? (?=\\S)`);

function at(hour: number): TimeOfDay {
  return { hour, minute: 0, second: 0 };
}

/** The time of day at the end or the beginning of a text, and the rest of the text. */
function splitTime(words: string): { day: string; time: TimeOfDay | "midnight" | null } {
  for (const place of [AT_END, AT_START]) {
    const match = place.exec(words);
    const time = match && timeOf(match);
    if (match && time) {
      const [whole] = match;
      return { day: place === AT_END ? words.slice(0, -whole.length) : words.slice(whole.length), time };
    }
  }
  return { day: words, time: null };
}

function timeOf([, hourText, minute, second = "0", half, name]: RegExpExecArray): TimeOfDay | "midnight" | null {
  if (name !== undefined) return NAMED.get(name) ?? null;
  // A bare number is not a time of day: in "1 april 9" it may be part of the day.
  if (minute === undefined && half === undefined) return null;
  const hour = Number(hourText);
  if (half !== undefined && (hour < 1 || hour > 12)) return null;
  const ofDay = half === undefined ? hour : (hour % 12) + (half.startsWith("p") ? 12 : 0);
  return { hour: ofDay, minute: Number(minute ?? 0), second: Number(second) };
}

function readMidnight(day: Day, dayWords: string): { local: LocalTime } | { message: string } {
  const [start, lastMinute] = [day.find(at(0)), day.find({ hour: 23, minute: 59, second: 0 })];
  if (typeof start === "string") return { message: start };
  if (start === null || lastMinute === null || typeof lastMinute === "string") return { message: NO_SUCH };
  if (dayWords === "" || dayWords === "tonight") return { local: start };
  const end = addDays({ ...lastMinute, hour: 0, minute: 0 }, 1);
  const readings = [start, end].sort((a, b) => utcOf(a) - utcOf(b)).map((one) => `“${shortDay(one)} 00:00”`);
  return { message: `This can be the start or the end of that day. Write ${readings.join(" or ")}.` };
}

function shortDay(local: LocalTime): string {
  return new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", day: "numeric", month: "short" }).format(utcOf(local));
}

const UNKNOWN = "This time is not understood. Write “in 30m”, “tomorrow 09:00”, “Monday noon” or “25 Dec 09:00”.";
const NO_SUCH = "The calendar has no such day, or the day no such time.";
const UNCLEAR_HOUR = "Write the time of day as “09:00” or “9am”.";
