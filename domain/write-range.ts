import { MONTHS } from "./calendar-words.ts";
import { addDays, type LocalTime } from "./local-time.ts";
import type { RangeClock } from "./range-point.ts";
import { readRange, type TimeRange } from "./range-text.ts";
import { localTimeAt } from "./zoned-time.ts";

/**
 * Writes a range in the shortest words that `readRange` reads as the same instants: `27 Mar`, `27 Mar 09:00 to 15:00`, `since
 * 27 Mar 09:00`; in RFC 3339 where no local time says them exactly. Empty for a range without ends.
 */
export function writeRange(range: TimeRange, clock: RangeClock): string {
  const { fromMs, toMs } = range;
  if (fromMs === null && toMs === null) return "";
  const isSame = (text: string) => {
    const read = readRange(text, clock);
    return read.ok && read.fromMs === fromMs && read.toMs === toMs;
  };
  const iso = (ms: number) => new Date(ms).toISOString();
  const precise =
    fromMs === null
      ? `before ${iso(toMs ?? 0)}`
      : toMs === null
        ? `since ${iso(fromMs)}`
        : `${iso(fromMs)} to ${iso(toMs)}`;
  return candidates(range, clock.zone).find(isSame) ?? precise;
}

function candidates({ fromMs, toMs }: TimeRange, zone: string): string[] {
  const [from, to] = [fromMs, toMs].map((ms) => (ms === null ? null : localTimeAt(ms, zone)));
  if (from && to) {
    const lastDay = addDays(to, -1);
    const days = [day, dayOfYear].flatMap((written) => [written(from), `${written(from)} to ${written(lastDay)}`]);
    return [
      ...days,
      ...[day, dayOfYear].flatMap((written) =>
        [time, timeToTheSecond].flatMap((clock) => [
          `${written(from)} ${clock(from)} to ${clock(to)}`,
          `${written(from)} ${clock(from)} to ${written(to)} ${clock(to)}`,
        ]),
      ),
    ];
  }
  const [word, end] = from ? ["since", from] : ["before", to];
  if (!end) return [];
  return [day, dayOfYear].flatMap((written) => [
    `${word} ${written(end)}`,
    `${word} ${written(end)} ${time(end)}`,
    `${word} ${written(end)} ${timeToTheSecond(end)}`,
  ]);
}

const day = ({ day: number, month }: LocalTime) => {
  const name = MONTHS[month - 1] ?? "";
  return `${number} ${name.charAt(0).toUpperCase()}${name.slice(1, 3)}`;
};
const dayOfYear = (local: LocalTime) => `${day(local)} ${local.year}`;
const two = (number: number) => String(number).padStart(2, "0");
const time = ({ hour, minute }: LocalTime) => `${two(hour)}:${two(minute)}`;
const timeToTheSecond = (local: LocalTime) => `${time(local)}:${two(local.second)}`;
