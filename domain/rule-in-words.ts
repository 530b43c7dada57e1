import { capital, MONTHS, WEEKDAYS } from "./calendar-words.ts";
import type { CronRule } from "./cron.ts";
import { type CronField, type FieldItem, readFieldItems, valuesOfItems as valuesOf } from "./cron-fields.ts";

/** A cron rule as one would say it: `every weekday at 09:00`, `every 15 minutes`, `on the last day of the month at 18:30`. */
export function ruleInWords({ fields }: Pick<CronRule, "fields">): string {
  const items = (field: CronField) => readFieldItems(field, fields[field]);
  const times = timesInWords(items("minute"), items("hour"));
  const days = daysInWords(items("day"), items("weekday"), items("month"));
  if (times.startsWith("every") || times.startsWith("at minutes")) return days === "" ? times : `${times}, ${days}`;
  return `${days === "" ? "every day" : days} ${times}`;
}

type Items = readonly FieldItem[];

/** More times than these are said by their minutes and hours. */
const TIMES_MAX = 8;

function timesInWords(minute: Items, hour: Items): string {
  const minutes = valuesOf(minute);
  const hours = valuesOf(hour);
  const [firstMinute = 0, lastMinute = 0] = [minutes[0], minutes.at(-1)];
  const past = firstMinute === 0 ? "" : ` at ${time("", firstMinute)}`;
  const everyMinutes = evenStep(minute, 60);
  const everyHours = evenStep(hour, 24);
  if (minutes.length === 1 && everyHours !== null) return `every ${counted(everyHours, "hour")}${past}`;
  if (everyMinutes !== null && everyHours === 1) return `every ${counted(everyMinutes, "minute")}`;
  const isRange = hours.length > 2 && hours.length === (hours.at(-1) as number) - (hours[0] as number) + 1;
  const span = `from ${time(hours[0], firstMinute)} to ${time(hours.at(-1), lastMinute)}`;
  if (everyMinutes !== null && (isRange || hours.length === 1))
    return `every ${counted(everyMinutes, "minute")} ${span}`;
  if (minutes.length === 1 && isRange) return `every hour ${span}`;
  if (minutes.length * hours.length > TIMES_MAX) {
    const ofHours = everyHours === 1 ? "every hour" : `hours ${listed(hours.map(String))}`;
    return `at minutes ${listed(minutes.map(String))} of ${ofHours}`;
  }
  return `at ${listed(hours.flatMap((one) => minutes.map((at) => time(one, at))))}`;
}

function daysInWords(day: Items, weekday: Items, month: Items): string {
  const months = valuesOf(month);
  const isEveryMonth = months.length === MONTHS.length;
  const names = listed(months.map((one) => capital(MONTHS[one - 1])));
  const ofMonth = isEveryMonth ? "of the month" : `of ${names}`;
  const said: string[] = [];
  if (!isAll(day)) said.push(daysOfMonth(day, ofMonth));
  if (!isAll(weekday)) said.push(weekdaysInWords(weekday, ofMonth));
  const inMonths = isEveryMonth || said.some((one) => one.includes(" of ")) ? "" : `in ${names}`;
  if (said.length > 0) return [said.join(" and "), inMonths].filter(Boolean).join(" ");
  return isEveryMonth ? "" : `every day ${inMonths}`;
}

function daysOfMonth(day: Items, ofMonth: string): string {
  const days = runsOf(valuesOf(day)).map(([first, last]) =>
    first === last ? ordinal(first) : `${ordinal(first)} to ${ordinal(last)}`,
  );
  const last = day.some(({ kind }) => kind === "last") ? ["last day"] : [];
  return `on the ${listed([...days, ...last])} ${ofMonth}`;
}

/** Values in order as runs, each by its first and last one; three in a row make one. */
function runsOf(values: readonly number[]): [first: number, last: number][] {
  const runs: [number, number][] = [];
  for (const [at, value] of values.entries()) {
    const run = runs.at(-1);
    const isThird = run !== undefined && value === run[1] + 1 && (run[0] < run[1] || values[at + 1] === value + 1);
    if (isThird) run[1] = value;
    else runs.push([value, value]);
  }
  return runs;
}

function weekdaysInWords(weekday: Items, ofMonth: string): string {
  const plain = [...new Set(valuesOf(weekday).map((one) => one % 7))].toSorted((a, b) => ((a + 6) % 7) - ((b + 6) % 7));
  const names = plain.map((one) => capital(WEEKDAYS[one]));
  const every = DAY_GROUPS.get(plain.join("")) ?? listed(names);
  const nth = weekday.flatMap((item) => {
    if (item.kind === "last") return [`the last ${capital(WEEKDAYS[item.value % 7])} ${ofMonth}`];
    return item.kind === "nth" ? [`the ${NTH[item.nth - 1]} ${capital(WEEKDAYS[item.value % 7])} ${ofMonth}`] : [];
  });
  return listed([...(plain.length > 0 ? [`every ${every}`] : []), ...nth.map((one) => `on ${one}`)]);
}

const DAY_GROUPS = new Map([
  ["1234560", "day"],
  ["12345", "weekday"],
  ["60", "Saturday and Sunday"],
]);
const NTH = ["first", "second", "third", "fourth", "fifth"];

const isAll = (items: Items) =>
  items.length === 1 && items[0]?.kind === "range" && items[0].isStar && items[0].step === 1;

/** The step of `*` or `*\/n`, where it divides the whole evenly; otherwise null. */
function evenStep(items: Items, whole: number): number | null {
  const [item] = items;
  if (items.length !== 1 || item?.kind !== "range" || !item.isStar) return null;
  return whole % item.step === 0 && item.step < whole ? item.step : null;
}

function counted(count: number, unit: string): string {
  return count === 1 ? unit : `${count} ${unit}s`;
}

function time(hour: number | "" = "", minute = 0): string {
  const two = (value: number | "") => (value === "" ? "" : String(value).padStart(2, "0"));
  return `${two(hour)}:${two(minute)}`;
}

function ordinal(day: number): string {
  const ending = day > 10 && day < 14 ? "th" : (["th", "st", "nd", "rd"][day % 10] ?? "th");
  return `${day}${ending}`;
}

function listed(texts: readonly string[]): string {
  return texts.length < 2 ? (texts[0] ?? "") : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}`;
}
