/** A function that writes an instant (ISO) to the millisecond, with its zone: `2026-03-27 14:34:48.000 UTC`. */
export function instantWriter(zone: string): (instant: string | number) => string {
  const format = new Intl.DateTimeFormat("sv-SE", {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hourCycle: "h23",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    timeZone: zone,
  });
  return (instant) => `${format.format(new Date(instant)).replace(",", ".")} ${zone}`;
}

/** A duration: `0.4 ms`, `84 ms`, `1.2 s`, `2 min 5 s`, `3 h 5 min`, `2 days 3 h`. */
export function duration(ms: number): string {
  const size = Math.abs(ms);
  if (size < 9.95) return `${Math.round(size * 10) / 10} ms`;
  if (size < 999.5) return `${Math.round(size)} ms`;
  if (size < 59_950) return `${Math.round(size / 100) / 10} s`;
  const seconds = Math.round(size / 1_000);
  if (seconds < 3_600) return twoParts(seconds, 60, "min", 1, "s");
  if (seconds < 172_800) return twoParts(seconds, 3_600, "h", 60, "min");
  return twoParts(seconds, 86_400, "days", 3_600, "h");
}

function twoParts(seconds: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)} ${largeUnit}${rest > 0 ? ` ${rest} ${smallUnit}` : ""}`;
}

/** An instant as seen from `nowMs`: `in 5 min`, `16 s ago`, `now`. */
export function relative(instant: string, nowMs: number): string {
  const aheadMs = Date.parse(instant) - nowMs;
  if (Math.abs(aheadMs) < 1_000) return "now";
  const whole = duration(Math.round(aheadMs / 1_000) * 1_000);
  return aheadMs > 0 ? `in ${whole}` : `${whole} ago`;
}

/**
 * A stranger's text in “…”: on one line, without what a terminal would take as a command or show out of order, and cut to
 * 200 characters.
 */
export function quoteStranger(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  const characters = Array.from(line);
  return `“${characters.slice(0, QUOTED_MAX).join("")}${characters.length > QUOTED_MAX ? "…" : ""}”`;
}

const QUOTED_MAX = 200;
