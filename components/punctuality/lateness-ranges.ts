import { ON_TIME_WITHIN_MS } from "#domain/punctuality.ts";
import type { LatenessCount } from "../charts/histogram-lines.ts";

/** The last lateness of each range, ms. One range ends at the limit of on time. */
const ENDS = [0, 3, 10, 30, 100, ON_TIME_WITHIN_MS] as const;

/** Counts latenesses of 0 ms and more by range ("4 to 10 ms"), empty ranges included. */
export function latenessRanges(counts: readonly LatenessCount[]): { label: string; count: number }[] {
  const within = (from: number, to: number) =>
    counts.reduce((sum, { ms, count }) => sum + (ms >= from && ms <= to ? count : 0), 0);
  const ranges = ENDS.map((to, at) => {
    const from = at === 0 ? 0 : (ENDS[at - 1] ?? 0) + 1;
    return { label: from === to ? `${to} ms` : `${from} to ${to} ms`, count: within(from, to) };
  });
  return [
    ...ranges,
    { label: `past ${ON_TIME_WITHIN_MS} ms`, count: within(ON_TIME_WITHIN_MS + 1, Number.POSITIVE_INFINITY) },
  ];
}
