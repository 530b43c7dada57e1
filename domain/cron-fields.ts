export const CRON_FIELDS = ["minute", "hour", "day", "month", "weekday"] as const;

export type CronField = (typeof CRON_FIELDS)[number];

/** What is wrong with a rule. `position` counts characters of the text from 1; `field` is null for the whole of it. */
export type CronFault = { field: CronField | null; position: number; message: string };

/** What is wrong with the text of a cron rule; null when it is five well-formed fields. */
export function findCronFault(text: string): CronFault | null {
  if (text.length > LENGTH_MAX) return fault(1, `must have at most ${LENGTH_MAX} characters`);
  const words = [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => ({ word, position: index + 1 }));
  const first = words[0];
  if (first === undefined) return fault(1, `is empty: ${FORM}`);
  const named = findNamedFault(first, words.length);
  if (named !== null) return named;
  if (words.length !== CRON_FIELDS.length) return findCountFault(words);
  for (const [at, field] of CRON_FIELDS.entries()) {
    const found = findFieldFault(field, words[at] as Word);
    if (found !== null) return found;
  }
  return null;
}

/** One item of a field: values with a step, the nth of a weekday in its month, or the last (of the days, `value` is 0). */
export type FieldItem =
  | { kind: "range"; from: number; to: number; step: number; isStar: boolean }
  | { kind: "nth"; value: number; nth: number }
  | { kind: "last"; value: number };

/** The items of a field in which `findCronFault` finds none. */
export function readFieldItems(field: CronField, text: string): FieldItem[] {
  const { min, max } = RANGES[field];
  return text.split(",").map((item) => {
    const [, last, nthOf, nth] = /^(?:(\w*)L|(\w+)#(\d))$/.exec(item) ?? [];
    if (nthOf !== undefined) return { kind: "nth", value: numberOf(field, nthOf, false) ?? 0, nth: Number(nth) };
    if (last !== undefined && field !== "month") return { kind: "last", value: numberOf(field, last, false) ?? 0 };
    const [, from, to = from, step = "1"] = ITEM.exec(item) ?? [];
    if (from === undefined)
      return { kind: "range", from: min, to: lastOf(field, max), step: Number(step), isStar: true };
    const ends = { from: numberOf(field, from, false) ?? min, to: numberOf(field, to as string, to !== from) ?? max };
    return { kind: "range", ...ends, step: Number(step), isStar: false };
  });
}

/** The values that a field names, in order; those that depend on the month are not among them. */
export function readFieldValues(field: CronField, text: string): number[] {
  return valuesOfItems(readFieldItems(field, text));
}

/** As `readFieldValues`, of items. */
export function valuesOfItems(items: readonly FieldItem[]): number[] {
  const values = items.flatMap((item) => {
    if (item.kind !== "range") return [];
    const count = Math.floor((item.to - item.from) / item.step) + 1;
    return Array.from({ length: count }, (_, at) => item.from + at * item.step);
  });
  return [...new Set(values)].toSorted((a, b) => a - b);
}

type Word = { word: string; position: number };
type Range = { min: number; max: number; names: readonly string[] };

const LENGTH_MAX = 255;
const FORM = "write minute, hour, day, month and weekday, such as 0 9 * * 1-5";

const MONTH_NAMES = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAY_NAMES = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

const RANGES: Record<CronField, Range> = {
  minute: { min: 0, max: 59, names: [] },
  hour: { min: 0, max: 23, names: [] },
  day: { min: 1, max: 31, names: [] },
  month: { min: 1, max: 12, names: MONTH_NAMES },
  weekday: { min: 0, max: 7, names: WEEKDAY_NAMES },
};

function fault(position: number, message: string, field: CronField | null = null): CronFault {
  return { field, position, message };
}

/** Rules that are one word, and settings that some crontabs have before a rule. */
function findNamedFault({ word, position }: Word, count: number): CronFault | null {
  if (/^(?:CRON_)?TZ=/.test(word)) return fault(position, "leave the zone out here: it belongs into timezone");
  if (!word.startsWith("@")) return null;
  if (/^@every$/i.test(word)) return fault(position, "@every is not accepted: write a step, such as */5 * * * *");
  const isKnown = NAMED.includes(word.toLowerCase());
  if (count > 1 && isKnown) return fault(position, `is a crontab line with a command: paste only ${word}`);
  return fault(position, `a name stands alone, and is one of ${NAMED.join(", ")}`);
}

const NAMED = ["@hourly", "@daily", "@weekly", "@monthly", "@yearly"];

// Only what consists of these is repeated in a message.
const CRON_WORD = new RegExp(`^(?:[\\d*?,/#LW-]|${[...MONTH_NAMES, ...WEEKDAY_NAMES].join("|")})+$`, "i");

function findCountFault(words: readonly Word[]): CronFault {
  const rest = words.slice(CRON_FIELDS.length);
  const [sixth] = rest;
  if (sixth === undefined) return fault(1, `has ${words.length} of five fields: ${FORM}`);
  if (rest.every(({ word }) => CRON_WORD.test(word)) && rest.length <= 2) {
    const message = `has ${words.length} fields, but there are no seconds and no years: ${FORM}`;
    return fault(rest.length === 1 ? (words[0] as Word).position : sixth.position, message);
  }
  const five = words.slice(0, CRON_FIELDS.length).map(({ word }) => word);
  if (!five.every((word) => CRON_WORD.test(word)))
    return fault(1, `has ${words.length} words, not five fields: ${FORM}`);
  return fault(sixth.position, `is a crontab line with a command: paste only ${five.join(" ")}`);
}

function findFieldFault(field: CronField, { word, position }: Word): CronFault | null {
  let at = position;
  for (const item of word.split(",")) {
    const found = findItemFault(field, item.toUpperCase());
    if (found !== null) return fault(at + found.at, `${field}: ${found.message}`, field);
    at += item.length + 1;
  }
  return null;
}

type ItemFault = { at: number; message: string };

const ITEM = /^(?:\*|(\d{1,4}|[A-Z]{3})(?:-(\d{1,4}|[A-Z]{3}))?)(?:\/(\d{1,4}))?$/;

/** One item of a comma-separated list, in capitals. `at` counts its characters from 0. */
function findItemFault(field: CronField, item: string): ItemFault | null {
  if (item === "") return { at: 0, message: "a value is missing beside the comma" };
  if (field === "day" && item === "L") return null;
  if (field === "weekday" && /^[A-Z\d]{1,3}(?:L|#.*)$/.test(item)) return findNthFault(item);
  const match = ITEM.exec(item);
  if (match === null) return findFormFault(field, item);
  const [, from, to, step] = match;
  const { min, max } = RANGES[field];
  const slash = item.indexOf("/");
  if (step !== undefined && from !== undefined && to === undefined) return { at: slash, message: MISPLACED_STEP };
  if (step !== undefined && (Number(step) < 1 || Number(step) > lastOf(field, max) - min + 1)) {
    return { at: slash + 1, message: `a step is 1 to ${lastOf(field, max) - min + 1}` };
  }
  if (from === undefined) return null;
  const low = numberOf(field, from, false);
  if (low === null) return { at: 0, message: expected(field) };
  if (to === undefined) return null;
  const high = numberOf(field, to, true);
  if (high === null) return { at: from.length + 1, message: expected(field) };
  return low <= high
    ? null
    : { at: 0, message: `${item} goes backwards: split it, such as ${splitRange(field, from, to)}` };
}

const MISPLACED_STEP = "a step stands behind * or a range, such as */15 or 5-59/15";

function findNthFault(item: string): ItemFault | null {
  const [, day = "", nth] = /^([A-Z]{3}|\d{1,2})(?:L|#(.*))$/.exec(item) ?? [];
  if (numberOf("weekday", day, false) === null) return { at: 0, message: expected("weekday") };
  if (nth === undefined || /^[1-5]$/.test(nth)) return null;
  return { at: day.length + 1, message: "behind # stands 1 to 5, such as 5#2 for the second Friday" };
}

const UNKNOWN: readonly [RegExp, string][] = [
  [/W/, "W (the nearest weekday) is not accepted"],
  [/\?/, "? is not accepted: write *"],
  [/L/, "L stands alone as the day (the last of the month), or behind a weekday, such as 5L"],
  [/#/, "# stands behind a weekday, such as 5#2"],
  [/H/, "H is not accepted: choose a value, or use spreadMs"],
];

function findFormFault(field: CronField, item: string): ItemFault {
  const slash = item.indexOf("/");
  const second = item.indexOf("/", slash + 1);
  if (second !== -1) return { at: second, message: "an item has at most one step" };
  if (slash === 0 || slash === item.length - 1) return { at: slash, message: MISPLACED_STEP };
  // Letters of a name are no signs: THU has an H.
  const signs = item.replace(/[A-Z]{3,}/g, (name) => " ".repeat(name.length));
  for (const [sign, message] of UNKNOWN) {
    const at = signs.search(sign);
    if (at !== -1) return { at, message };
  }
  return { at: 0, message: expected(field) };
}

/** The number of a value or name; null when the field has none such. At the end of a range, SUN is 7. */
function numberOf(field: CronField, text: string, isEnd: boolean): number | null {
  const { min, max, names } = RANGES[field];
  const named = names.indexOf(text);
  if (named !== -1) return field === "weekday" && isEnd && named === 0 ? max : named + min;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : null;
}

function expected(field: CronField): string {
  const { min, max, names } = RANGES[field];
  const named = names.length === 0 ? "" : `, or ${names[0]} to ${names.at(-1)}`;
  return `a value is ${min} to ${max}${named}`;
}

/** The last value of `*`: both 0 and 7 are Sunday. */
const lastOf = (field: CronField, max: number) => (field === "weekday" ? max - 1 : max);

function splitRange(field: CronField, from: string, to: string): string {
  const { min, max } = RANGES[field];
  return `${from}-${lastOf(field, max)},${min}-${to}`;
}
