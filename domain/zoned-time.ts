import { foldAscii } from "./ascii.ts";
import { type LocalTime, readUtc, utcOf } from "./local-time.ts";
import { formatsByZone } from "./zone-formats.ts";

/**
 * The instants, epoch ms, at which the clocks of a zone show a local time: one; none, because the clocks skip it
 * (`epochMs` is as long after the change as the time is after `from`); or two, because the clocks repeat it.
 */
export type ZonedTime =
  | { kind: "once"; epochMs: number }
  | { kind: "gap"; epochMs: number; from: LocalTime; to: LocalTime }
  | { kind: "overlap"; firstMs: number; secondMs: number };

/** The instant of a local time in an IANA zone. Throws a RangeError for a zone that does not exist. */
export function resolveLocalTime(local: LocalTime, zone: string): ZonedTime {
  const asUtcMs = utcOf(local);
  const beforeMs = offsetMsAt(asUtcMs - DAY_MS, zone);
  const afterMs = offsetMsAt(asUtcMs + DAY_MS, zone);
  const instants = [...new Set([asUtcMs - beforeMs, asUtcMs - afterMs])]
    .filter((epochMs) => epochMs + offsetMsAt(epochMs, zone) === asUtcMs)
    .sort((a, b) => a - b);
  const [firstMs, secondMs] = instants;
  if (firstMs !== undefined && secondMs !== undefined) return { kind: "overlap", firstMs, secondMs };
  if (firstMs !== undefined) return { kind: "once", epochMs: firstMs };
  const changeMs = findChange(asUtcMs - afterMs, asUtcMs - beforeMs, zone);
  const [from, to] = [readUtc(changeMs + beforeMs), readUtc(changeMs + afterMs)];
  return { kind: "gap", epochMs: asUtcMs - beforeMs, from, to };
}

/** The instant of a local time, epoch ms: the first of two; in a gap, the one by the offset before the change. */
export function firstInstantOf(zoned: ZonedTime): number {
  return zoned.kind === "overlap" ? zoned.firstMs : zoned.epochMs;
}

/** The second instant of a local time, epoch ms, where it has two; otherwise the one that `firstInstantOf` returns. */
export function secondInstantOf(zoned: ZonedTime): number {
  return zoned.kind === "overlap" ? zoned.secondMs : zoned.epochMs;
}

/** The local time of an IANA zone at an instant (epoch ms), without fractions of a second. */
export function localTimeAt(epochMs: number, zone: string): LocalTime {
  return readUtc(epochMs + offsetMsAt(epochMs, zone));
}

/** The offset of an IANA zone from UTC at an instant (epoch ms), in ms; positive east of Greenwich. */
export function offsetMsAt(epochMs: number, zone: string): number {
  // Not formatToParts, which takes twice as long: `3/30/2031, 03:30:00`.
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = (
    formatterOf(zone).format(epochMs).match(/\d+/g) ?? []
  ).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(epochMs / 1_000) * 1_000;
}

/**
 * Whether a text is the name of a zone in the IANA database, in any letter case. Offsets (`+01:00`), and abbreviations
 * that only ICU knows, do not count: to ICU, BST is Bangladesh.
 */
export function isZone(name: string): boolean {
  if (!NAME.test(name) || (/^[A-Z]{3}$/i.test(name) && !SHORT_NAMES.has(name.toUpperCase()))) return false;
  try {
    formatterOf(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * The name of a zone, given in any letter case; null when it is no zone (`isZone`). A zone with several names keeps the
 * one that was given: ICU would turn Europe/Kyiv into Europe/Kiev.
 */
export function findZone(name: string): string | null {
  const trimmed = name.trim();
  if (!isZone(trimmed)) return null;
  const canonical = formatterOf(trimmed).resolvedOptions().timeZone;
  return foldAscii(canonical) === foldAscii(trimmed) ? canonical : trimmed;
}

/** Formats an offset from UTC: `UTC`, `UTC+2`, `UTC−3:30`. */
export function formatUtcOffset(offsetMs: number): string {
  if (offsetMs === 0) return "UTC";
  const minutes = Math.round(Math.abs(offsetMs) / 60_000);
  const rest = minutes % 60;
  return `UTC${offsetMs < 0 ? "−" : "+"}${Math.floor(minutes / 60)}${rest === 0 ? "" : `:${String(rest).padStart(2, "0")}`}`;
}

const DAY_MS = 86_400_000;

// Begins with a letter, so that offsets do not match. SystemV/… exists only in ICU.
const NAME = /^(?!SystemV\/)[A-Za-z][A-Za-z0-9_+/-]{1,39}$/i;
/** The names of three letters in the IANA database (2026c); ICU has 25 more. */
const SHORT_NAMES = new Set([
  "CET",
  "EET",
  "EST",
  "GMT",
  "HST",
  "MET",
  "MST",
  "PRC",
  "ROC",
  "ROK",
  "UCT",
  "UTC",
  "WET",
]);

/** The first second from `fromMs` to `toMs` at which the offset is that of `toMs`. */
function findChange(fromMs: number, toMs: number, zone: string): number {
  const after = offsetMsAt(toMs, zone);
  let [low, high] = [fromMs / 1_000, toMs / 1_000];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetMsAt(middle * 1_000, zone) === after) high = middle;
    else low = middle;
  }
  return high * 1_000;
}

const formatterOf = formatsByZone("en-US", {
  hourCycle: "h23",
  year: "numeric",
  month: "numeric",
  day: "numeric",
  hour: "numeric",
  minute: "numeric",
  second: "numeric",
});
