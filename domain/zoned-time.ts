import { formatsByZone } from "./zone-formats.ts";

/** A date and a time of day without a zone. Months are 1 to 12. */
export type LocalTime = { year: number; month: number; day: number; hour: number; minute: number; second: number };

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

/** The local time of an IANA zone at an instant (epoch ms), without fractions of a second. */
export function localTimeAt(epochMs: number, zone: string): LocalTime {
  return readUtc(epochMs + offsetMsAt(epochMs, zone));
}

/** The offset of an IANA zone from UTC at an instant (epoch ms), in ms; positive east of Greenwich. */
export function offsetMsAt(epochMs: number, zone: string): number {
  const parts: Record<string, string> = {};
  for (const { type, value } of formatterOf(zone).formatToParts(epochMs)) parts[type] = value;
  const { year, month, day, hour, minute, second } = parts;
  const shown = [year, month, day, hour, minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return Date.UTC(shown[0], shown[1] - 1, shown[2], shown[3], shown[4], shown[5]) - Math.floor(epochMs / 1_000) * 1_000;
}

/**
 * Reads `2026-03-30T09:00` or `2026-03-30T09:00:00`, as `<input type="datetime-local">` writes it; null for anything
 * else.
 */
export function parseLocalTime(text: string): LocalTime | null {
  const [, year, month, day, hour, minute, second = "0"] = LOCAL.exec(text) ?? [];
  const local = {
    ...{ year: Number(year), month: Number(month), day: Number(day) },
    ...{ hour: Number(hour), minute: Number(minute), second: Number(second) },
  };
  return year !== undefined && isRealTime(local) ? local : null;
}

/** A local time as `<input type="datetime-local">` takes it: `2026-03-30T09:00:00`. */
export function writeLocalTime(local: LocalTime): string {
  return new Date(utcOf(local)).toISOString().slice(0, 19);
}

/** Whether the date exists in the calendar and the time of day is valid. */
export function isRealTime(local: LocalTime): boolean {
  const { year, month, day, hour, minute, second } = readUtc(utcOf(local));
  return (
    local.year >= 1970 &&
    local.year <= 9999 &&
    ([year, month, day, hour, minute, second] as const).every(
      (part, at) => part === [local.year, local.month, local.day, local.hour, local.minute, local.second][at],
    )
  );
}

/** The local time `days` calendar days later, at the same time of day. */
export function addDays(local: LocalTime, days: number): LocalTime {
  return readUtc(utcOf({ ...local, day: local.day + days }));
}

/** The day of the week of a local time, 0 for Sunday. */
export function weekdayOf(local: LocalTime): number {
  return new Date(utcOf(local)).getUTCDay();
}

/** The IANA name of a zone that is written in any letter case; null when there is none. */
export function findZone(name: string): string | null {
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone: name.trim() }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/** Formats an offset from UTC: `UTC`, `UTC+2`, `UTC−3:30`. */
export function formatUtcOffset(offsetMs: number): string {
  if (offsetMs === 0) return "UTC";
  const minutes = Math.round(Math.abs(offsetMs) / 60_000);
  const rest = minutes % 60;
  return `UTC${offsetMs < 0 ? "−" : "+"}${Math.floor(minutes / 60)}${rest === 0 ? "" : `:${String(rest).padStart(2, "0")}`}`;
}

const DAY_MS = 86_400_000;
const LOCAL = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.0+)?)?$/;

function utcOf({ year, month, day, hour, minute, second }: LocalTime): number {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

function readUtc(epochMs: number): LocalTime {
  const at = new Date(epochMs);
  return {
    ...{ year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, day: at.getUTCDate() },
    ...{ hour: at.getUTCHours(), minute: at.getUTCMinutes(), second: at.getUTCSeconds() },
  };
}

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
  ...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" },
});
