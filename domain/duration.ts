import { describeFormProblem, type Hints } from "./form-problem.ts";

/** The shortest and the longest duration, ms: a second and 365,250 days, which are a thousand years. */
export const DURATION_MS_MIN = 1_000;
export const DURATION_MS_MAX = 365_250 * 86_400_000;

/**
 * Parses a duration: `90s`, `1h30m`, `2d`, or ISO 8601 (`PT90M`, `P1DT12H`). Units are w, d, h, m and s, each once, the
 * largest first; the last number may have up to nine decimals. A day is 24 hours. Returns ms, rounded up, or null; also
 * null below `DURATION_MS_MIN` and above `DURATION_MS_MAX`.
 */
export function parseDuration(text: string): number | null {
  const ms = durationMs(text);
  return ms !== null && ms >= DURATION_MS_MIN && ms <= DURATION_MS_MAX ? ms : null;
}

/** Writes a duration of whole ms as `parseDuration` reads it: `1h30m`, `1.5s`. */
export function writeDuration(ms: number): string {
  const parts: string[] = [];
  let left = ms;
  for (const [at, unit] of UNITS_MS.entries()) {
    const unitMs = Number(unit);
    const count = unitMs === 1_000 ? left / unitMs : Math.floor(left / unitMs);
    if (count > 0) parts.push(`${count}${"wdhms"[at]}`);
    left -= count * unitMs;
  }
  return parts.join("");
}

/** The error message for a text that `parseDuration` rejects. Does not quote the text. */
export function describeDurationProblem(text: string): string {
  const ms = durationMs(text);
  if (ms !== null) return describeRangeProblem(ms);
  return describeFormProblem(FORM, HINTS, text);
}

function describeRangeProblem(ms: number): string {
  return ms < DURATION_MS_MIN ? "must be at least 1 second" : "must be at most 365250 days";
}

const FORM = 'must be a duration, such as "90s", "1h30m" or "PT90M"';

const NUMBER = String.raw`\d{1,12}`;
const DECIMALS = String.raw`(?:\.\d{1,9}(?=[A-Za-z]$))?`;
const unit = (letter: string) => `(?:(${NUMBER}${DECIMALS})${letter})?`;
const COMPACT = new RegExp(`^(?=.)${["w", "d", "h", "m", "s"].map(unit).join("")}$`);
const ISO_8601 = new RegExp(`^P(?=.)${unit("W")}${unit("D")}(?:T(?=.)${unit("H")}${unit("M")}${unit("S")})?$`);
const UNITS_MS = [604_800_000n, 86_400_000n, 3_600_000n, 60_000n, 1_000n];
const BILLION = 1_000_000_000n;

/** As `parseDuration`, without bounds. Whole numbers, so that 0.1h is exact. */
export function durationMs(text: string): number | null {
  const match = COMPACT.exec(text) ?? ISO_8601.exec(text);
  if (match === null) return null;
  const billionths = UNITS_MS.reduce((sum, unitMs, at) => sum + unitMs * inBillionths(match[at + 1] ?? "0"), 0n);
  return Number((billionths + BILLION - 1n) / BILLION);
}

function inBillionths(number: string): bigint {
  const [whole = "", decimals = ""] = number.split(".");
  return BigInt(whole + decimals.padEnd(9, "0"));
}

/** Hints for common mistakes; the first match applies. */
const HINTS: Hints = [
  [/^\d+(\.\d+)?$/, "the unit is missing: write 90s for 90 seconds"],
  [/^-/, "it counts from now on"],
  [/^\d+(\.\d+)?ms$/, "write milliseconds as a fraction of seconds, such as 1.5s"],
  [/^P\d[^T]*[YM]/, "years and months have no fixed length"],
  [/^P[^T]*\d[HS]/, "T stands before hours, minutes and seconds"],
  [/\d,\d/, "write fractions with a point"],
  [/ /, "leave out spaces"],
  [/^(in|\+)/, "leave out what comes before the number"],
  [/\.\d{10}/, "a number has at most nine decimals"],
  [/^(\d+(\.\d+)?[wdhms])+$/, "name each unit once, the largest first, with decimals in the last number only"],
  [/^(\d+(\.\d+)?[wdhms])+$/i, "w, d, h, m and s must be lower case"],
  [/^(p[\dTtWwDdHhMmSs.]+$|P[\dTWDHMS.]*[twdhms])/, "P, T and units must be upper case"],
  [/^\d+(\.\d+)?[a-z]+$/, "the units are w, d, h, m and s"],
];
