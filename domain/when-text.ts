import { foldAscii } from "./ascii.ts";
import { readDayAndTime } from "./day-and-time.ts";
import { parseDuration } from "./duration.ts";
import { parseInstant } from "./instant.ts";
import { type LocalTime, parseLocalTime, readUtc, utcOf } from "./local-time.ts";
import { localTimeAt } from "./zoned-time.ts";

/** The result of reading a text: an instant (epoch ms), a wait from now (ms), a local time of the zone, or an error. */
export type When =
  | { kind: "instant"; epochMs: number }
  | { kind: "wait"; ms: number }
  | { kind: "local"; local: LocalTime }
  | { kind: "fault"; message: string };

/**
 * Reads a time as people write it, with `nowMs` as the current time, in an IANA zone: `in an hour`, `+1 h 30 min`, `PT30M`,
 * RFC 3339, or a day and a time of day as `readDayAndTime` reads them, with `UTC` behind it in UTC. `in 2 days` means 48 hours.
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
  const local = parseLocalTime(written.replace(/^(\d{4})([-/.])(\d\d)\2(\d\d)(?: +|T)/, "$1-$3-$4T"));
  if (local !== null) return { kind: "local", local };
  const [, beforeUtc] = /^(.+?) ?(?:utc|gmt)$/.exec(words) ?? [];
  const now = beforeUtc === undefined ? localTimeAt(nowMs, zone) : readUtc(nowMs);
  const read = readDayAndTime(beforeUtc ?? words, now);
  if ("message" in read) return fault(read.message);
  return beforeUtc === undefined
    ? { kind: "local", local: read.local }
    : { kind: "instant", epochMs: utcOf(read.local) };
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
const COUNTS = new Map(
  ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"].map(
    (word, at) => [word, at + 1] as const,
  ),
);
/** `1M` means a month to some: ISO 8601 and cron tools write it so. */
const CAPITAL_M = /\d\s*M(?![A-Za-z])/;
const MONTHS_COUNTED = /^(?:in |\+ ?)?(?:an? |\d+ ?)(?:mo|mos|mth|mths|months?|y|yrs?|years?)\b|^p\d[^t]*[ym]/;
const WAIT_MAX_MS = 8_640_000_000_000_000 / 2;
const NUMBER = String.raw`\d{1,9}(?:\.\d{1,9})?`;
const PARTS = new RegExp(`^(?:${NUMBER} ?[a-z]+(?:,? (?:and )?)?)+$`);

function unit(ms: number, ...names: string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, ms]));
}

/** Reads a duration, such as `in an hour and a half`, `+5m` or `90 seconds from now`, as ms; null when the text is none. */
function readDuration(words: string): number | null {
  if (words === "now") return 0;
  const body = inFigures(words.replace(/^(?:in |\+ ?)/, "").replace(/ from now$/, ""));
  if (!PARTS.test(body)) return null;
  let waitMs = 0;
  for (const [, count, name = ""] of body.matchAll(new RegExp(`(${NUMBER}) ?([a-z]+)`, "g"))) {
    const unitMs = UNITS_MS.get(name);
    if (unitMs === undefined) return null;
    waitMs += Number(count) * unitMs;
  }
  return waitMs <= WAIT_MAX_MS ? Math.ceil(waitMs) : null;
}

/** A duration with figures for its words: `half an hour` as `0.5 hour`, `two days` as `2 days`. */
function inFigures(words: string): string {
  return words
    .replace(/\b(?:a )?quarter of an hour\b/, "15 min")
    .replace(/\bhalf an? (?=[a-z])/, "0.5 ")
    .replace(/\b(an?|one|\d{1,9}) ([a-z]+) and a half$/, "$1 $2 0.5 $2")
    .replace(/\b(an?|one|\d{1,9}) and a half (?=[a-z]+$)/, (_, count) => `${Number(count) || 1}.5 `)
    .replace(/\b[a-z]+(?= [a-z])/g, (word) => String(COUNTS.get(word) ?? (word === "a" || word === "an" ? 1 : word)));
}

const UNCLEAR_M = "A minute or a month? Write “min” for minutes. Months have no fixed length: name the day instead.";
const UNCOUNTED_MONTHS = "Months and years have no fixed length. Name the day instead, such as “1 Apr 09:00”.";

function fault(message: string): When {
  return { kind: "fault", message };
}
