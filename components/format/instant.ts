import { formatsByZone } from "#domain/zone-formats.ts";

const DAY = formatsByZone("en-GB", { dateStyle: "long" });
const SHORT_DAY = formatsByZone("en-GB", { day: "numeric", month: "short" });
const DAY_OF_YEAR = formatsByZone("en-GB", { day: "numeric", month: "short", year: "numeric" });
const YEAR = formatsByZone("en-GB", { year: "numeric" });
const MONTH = formatsByZone("en-GB", { month: "long", year: "numeric" });
const HOUR = formatsByZone("en-GB", { hourCycle: "h23", hour: "2-digit", minute: "2-digit" });
const CLOCK = formatsByZone("en-GB", {
  hourCycle: "h23",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
});

/**
 * An instant in full, to the millisecond, with its zone: `27 March 2026, 14:34:48.000 UTC`. `zone` is an IANA name;
 * throws a RangeError for one that does not exist.
 */
export function formatInstant(at: Date, zone = "UTC"): string {
  return `${formatDay(at, zone)}, ${formatClock(at, zone)} ${zone}`;
}

/** The day of an instant in a zone: `27 March 2026`. */
export function formatDay(at: Date, zone = "UTC"): string {
  return DAY(zone).format(at);
}

/** The same, with the month cut short: `27 Mar 2026`. */
export function formatDayOfYear(at: Date, zone = "UTC"): string {
  return DAY_OF_YEAR(zone).format(at);
}

/** The year of an instant in a zone: `2026`. */
export function formatYear(at: Date, zone = "UTC"): string {
  return YEAR(zone).format(at);
}

/** The time of day of an instant in a zone: `14:34:48.000`. */
export function formatClock(at: Date, zone = "UTC"): string {
  return CLOCK(zone).format(at);
}

/** The day of an instant in a zone, short: `27 Mar`. */
export function formatShortDay(at: Date, zone = "UTC"): string {
  return SHORT_DAY(zone).format(at);
}

/** The time of day of an instant in a zone, to the minute: `14:34`. */
export function formatHour(at: Date, zone = "UTC"): string {
  return HOUR(zone).format(at);
}

/** The month of an instant in UTC: `March 2026`. */
export function formatMonth(at: Date): string {
  return MONTH("UTC").format(at);
}
