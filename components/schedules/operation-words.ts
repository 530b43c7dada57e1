import type { LeftAlone, LeftAloneReason, OperationAction } from "#domain/operations.ts";
import type { ScheduleStatus } from "#domain/states.ts";
import { type FilterTexts, filtersInWords } from "../format/filter-words.ts";
import { formatInstant } from "../format/instant.ts";
import { formatCount } from "../format/number.ts";
import { statusWord } from "../format/status-word.ts";

/** The filter that selects schedules; null when they were chosen one by one. */
export type ScopeFilter = FilterTexts & {
  statuses: readonly ScheduleStatus[] | null;
  q: string | null;
  from: Date | null;
  to: Date | null;
};

/** `3 schedules`, `1 schedule`, `more than 10,000 schedules`. */
export function countInWords(count: number, isCapped = false): string {
  return `${isCapped ? "more than " : ""}${formatCount(count)} ${count === 1 && !isCapped ? "schedule" : "schedules"}`;
}

/** `all scheduled or retrying ones with “lumen” in the URL due before 27 March 2026, 14:00:00.000 UTC`. */
export function scopeInWords(filter: ScopeFilter | null, zone = "UTC"): string {
  return filter === null ? "the ones that you chose" : `all ${filterInWords(filter, zone)}`;
}

/** The same without "all". `range` is when they are due, in words ("in the next hour"). */
export function filterInWords(filter: ScopeFilter, zone: string, range?: string): string {
  const { statuses, q, from, to } = filter;
  const kinds = statuses ? `${statuses.map(statusWord).join(" or ")} ones` : "schedules";
  const target = q ? (/^sch_\w{26}$/.test(q) ? ` with the id ${q}` : ` with “${q}” in the URL`) : "";
  const [since, until] = [from && formatInstant(from, zone), to && formatInstant(to, zone)];
  const bounds =
    since && until ? `between ${since} and ${until}` : since ? `from ${since} on` : until && `before ${until}`;
  const when = range ?? bounds;
  const narrower = filtersInWords(filter).map(({ phrase }) => phrase);
  return [`${kinds}${target}`, ...narrower, ...(when ? [`due ${when}`] : [])].join(" ");
}

const ACTED: Record<OperationAction, string> = { cancel: "cancelled", replay: "replayed" };

/** The past participle of each action. */
export const actedWord = (action: OperationAction): string => ACTED[action];

const REASONS: Record<LeftAloneReason, string> = {
  firing: "An attempt was under way",
  succeeded: "Delivered already",
  dead: "Dead already",
  cancelled: "Cancelled already",
  rescheduled: "Moved after this was requested",
  erased: "Payload and headers erased at the end of the retention window",
  over_quota: "Over the month’s quota",
  expired: "Its expiry has passed",
  target_not_allowed: "Target not allowed any more",
  payload_too_large: "Payload larger than the plan allows now",
  unreadable: "Stored request cannot be decrypted",
  not_found: "Not there any more",
};

/** The reasons that applied, in words, with their counts; most frequent first. */
export function reasonsInWords(left: LeftAlone): [words: string, count: number][] {
  return (Object.entries(left) as [LeftAloneReason, number][])
    .toSorted(([, a], [, b]) => b - a)
    .map(([reason, count]) => [REASONS[reason], count]);
}

/** The number of schedules skipped, for any reason. */
export function leftAloneTotal(left: LeftAlone): number {
  return Object.values(left).reduce((sum, count) => sum + count, 0);
}
