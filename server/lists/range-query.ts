import { parseInstant } from "#domain/instant.ts";
import { parseLocalTime } from "#domain/local-time.ts";
import { instantOf, type RangeClock } from "#domain/range-point.ts";
import { readRange } from "#domain/range-text.ts";
import { writeRange } from "#domain/write-range.ts";

/** The range of an address. `from` is included, `to` is not. */
export type RangeQuery = {
  /** As it was typed; bounds in words; empty for no range. */
  text: string;
  /** Whether `text` was typed. */
  isTyped: boolean;
  from?: Date;
  to?: Date;
  /** Why there is none although one was given. */
  problem?: string;
};

/**
 * Reads the range of a page's address: `range` in words, otherwise the bounds `from` and `to`, each RFC 3339 or a local time in
 * the zone of `clock`. Where a page looks back, a range that ends now has no end, so that it contains what comes meanwhile.
 */
export function readRangeQuery(params: Readonly<Record<string, string | undefined>>, clock: RangeClock): RangeQuery {
  const typed = params.range?.trim();
  if (typed) {
    const range = readRange(typed, clock);
    if (!range.ok) return { text: typed, isTyped: true, problem: range.message };
    const endsNow = clock.lean === "past" && range.toMs === clock.nowMs;
    return { text: typed, isTyped: true, ...datesOf(range.fromMs, endsNow ? null : range.toMs) };
  }
  const [from = null, to = null] = [params.from, params.to].map((text) => (text ? readBound(text, clock.zone) : null));
  if ((params.from && from === null) || (params.to && to === null)) {
    return { text: "", isTyped: false, problem: GIVE_IN_FULL };
  }
  if (from !== null && to !== null && from >= to) return { text: "", isTyped: false, problem: REVERSED };
  return { text: writeRange({ fromMs: from, toMs: to }, clock), isTyped: false, ...datesOf(from, to) };
}

const GIVE_IN_FULL = "Give dates and times in full, such as 27 March 2026, 14:30.";
const REVERSED = "The range ends before it begins.";

function readBound(text: string, zone: string): number | null {
  const local = parseLocalTime(text);
  return local === null ? parseInstant(text) : instantOf(local, zone);
}

const datesOf = (fromMs: number | null, toMs: number | null) => ({
  ...(fromMs !== null && { from: new Date(fromMs) }),
  ...(toMs !== null && { to: new Date(toMs) }),
});
