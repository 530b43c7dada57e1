import type { CronRule } from "./cron.ts";
import { readFieldValues } from "./cron-fields.ts";

/** How often a rule fires by the clock: the shortest time between two of its instants, ms, and how many a month has. */
export type RecurrenceSpacing = { shortestMs: number; monthly: number };

/**
 * How often a rule fires in the year after `nowMs` (epoch ms), changes of clocks aside. `monthly` is the mean of its months,
 * rounded up. What was found is kept with the rule for a day.
 */
export function recurrenceSpacing(rule: CronRule, nowMs: number): RecurrenceSpacing {
  const today = daysOf(nowMs);
  const known = found.get(rule);
  if (known?.today === today) return known.spacing;
  const spacing = findSpacing(rule, nowMs);
  found.set(rule, { today, spacing });
  return spacing;
}

/** Counting the days of a year takes up to 20 ms, and a page of a list has many rules. */
const found = new WeakMap<CronRule, { today: number; spacing: RecurrenceSpacing }>();

function findSpacing(rule: CronRule, nowMs: number): RecurrenceSpacing {
  const first = rule.nextAfter(nowMs);
  if (first === null) return { shortestMs: Number.POSITIVE_INFINITY, monthly: 0 };
  const { minute, hour, day, month, weekday } = rule.fields;
  const minutes = readFieldValues("minute", minute);
  const timesOfDay = readFieldValues("hour", hour).flatMap((h) => minutes.map((m) => (h * 60 + m) * MINUTE_MS));
  const isDaily = [day, month, weekday].every((text) => text === "*");
  const { count, areSome } = isDaily ? { count: DAYS, areSome: true } : countDays(rule, daysOf(first), timesOfDay);
  const gaps = timesOfDay.slice(1).map((ms, at) => ms - (timesOfDay[at] as number));
  const overnight = DAY_MS + (timesOfDay[0] as number) - (timesOfDay.at(-1) as number);
  return {
    shortestMs: Math.min(...gaps, areSome ? overnight : 2 * DAY_MS),
    monthly: Math.ceil((count * timesOfDay.length) / 12),
  };
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const DAYS = 365;

const daysOf = (ms: number) => Math.floor(ms / DAY_MS);

/** How many days of a year the rule fires on, from `first` on, and whether some of them follow each other. */
function countDays(rule: CronRule, first: number, timesOfDay: readonly number[]): { count: number; areSome: boolean } {
  const last = timesOfDay.at(-1) as number;
  let [count, areSome] = [0, false];
  // From the last time of a day the next one is on another day.
  for (let day: number | null = first; day !== null && day < first + DAYS; count++) {
    const next: number | null = rule.nextAfter(day * DAY_MS + last);
    const nextDay: number | null = next === null ? null : daysOf(next);
    areSome ||= nextDay === day + 1;
    day = nextDay;
  }
  return { count, areSome };
}
