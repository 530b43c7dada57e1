const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;

/**
 * A duration in its two largest units, rounded down: `2 m 41 s`, `3 h 5 m`, `16 s`, `0 s`. With `parts` 1 only the largest.
 */
export function formatDuration(ms: number, parts: 1 | 2 = 2): string {
  const size = Math.max(0, Math.floor(ms / 1_000)) * 1_000;
  const first = UNITS.findIndex(([, unitMs]) => size >= unitMs);
  if (first === -1) return "0 s";
  const words: string[] = [];
  let rest = size;
  for (const [unit, unitMs] of UNITS.slice(first, first + parts)) {
    const count = Math.floor(rest / unitMs);
    if (count > 0) words.push(`${count} ${unit}`);
    rest -= count * unitMs;
  }
  return words.join(" ");
}

// Between these, seconds do not matter, ms.
const [SECONDS_UP_TO_MS, HOURS_FROM_MS] = [300_000, 3_600_000];

/** A time relative to `now`: `16 s ago`, `in 2 m 41 s`, `in 41 m`, `in 2 h 14 m`; `now` within a second. */
export function formatRelative(at: Date, now: Date): string {
  const aheadMs = at.getTime() - now.getTime();
  if (Math.abs(aheadMs) < 1_000) return "now";
  if (aheadMs < 0) return `${formatDuration(-aheadMs, 1)} ago`;
  return `in ${formatDuration(aheadMs, aheadMs >= SECONDS_UP_TO_MS && aheadMs < HOURS_FROM_MS ? 1 : 2)}`;
}
