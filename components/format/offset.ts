import { formatDuration } from "./duration.ts";

/** The parts of a formatted lateness. `sign` is empty for 0; early has a minus sign (U+2212). */
export type OffsetParts = { sign: "+" | "−" | ""; value: string; unit: string };

/** How late (or early) `offsetMs` is: whole ms below a second, seconds to 10 ms below 10, to 0.1 s below a minute. */
export function offsetParts(offsetMs: number): OffsetParts {
  const rounded = Math.round(offsetMs);
  const size = Math.abs(rounded);
  const sign = rounded > 0 ? "+" : rounded < 0 ? "−" : "";
  if (size < 1_000) return { sign, value: String(size), unit: "ms" };
  if (size < 9_995) return { sign, value: (size / 1_000).toFixed(2), unit: "s" };
  if (size < 60_000) return { sign, value: (size / 1_000).toFixed(1), unit: "s" };
  const [value = "", ...unit] = formatDuration(size).split(/(?<=^\S+) /);
  return { sign, value, unit: unit.join(" ") };
}

/** Formats a lateness: `+4 ms`, `−18 ms`, `0 ms`, `+1.24 s`. */
export function formatOffset(offsetMs: number): string {
  const { sign, value, unit } = offsetParts(offsetMs);
  return `${sign}${value} ${unit}`;
}

/** Formats how long something took, as a lateness without a sign: `84 ms`, `1.24 s`, `30.0 s`. */
export function formatTaken(ms: number): string {
  const { value, unit } = offsetParts(Math.max(0, ms));
  return `${value} ${unit}`;
}
