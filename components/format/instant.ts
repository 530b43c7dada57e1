/**
 * An instant in full, to the millisecond, with its zone: `27 March 2026, 14:34:48.000 UTC`. `zone` is an IANA name;
 * throws a RangeError for one that does not exist.
 */
export function formatInstant(at: Date, zone = "UTC"): string {
  return `${formatDay(at, zone)}, ${formatClock(at, zone)} ${zone}`;
}

/** The day of an instant in a zone: `27 March 2026`. */
export function formatDay(at: Date, zone = "UTC"): string {
  return new Intl.DateTimeFormat("en-GB", { timeZone: zone, dateStyle: "long" }).format(at);
}

/** The time of day of an instant in a zone: `14:34:48.000`. */
export function formatClock(at: Date, zone = "UTC"): string {
  return new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hourCycle: "h23",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
  }).format(at);
}

/** The day of an instant in a zone, short: `27 Mar`. */
export function formatShortDay(at: Date, zone = "UTC"): string {
  return new Intl.DateTimeFormat("en-GB", { timeZone: zone, day: "numeric", month: "short" }).format(at);
}

/** The time of day of an instant in a zone, to the minute: `14:34`. */
export function formatHour(at: Date, zone = "UTC"): string {
  return new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hourCycle: "h23",
    hour: "2-digit",
    minute: "2-digit",
  }).format(at);
}

/** The month of an instant in UTC: `March 2026`. */
export function formatMonth(at: Date): string {
  return new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", month: "long", year: "numeric" }).format(at);
}
