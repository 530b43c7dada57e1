import type { ScopeFilter } from "#components/schedules/operation-words.ts";
import { type Cursor, readCursor } from "#contract/inputs/cursor.ts";
import { FILTER_NAMES } from "#contract/inputs/filters.ts";
import { ListInput } from "#contract/inputs/list-input.ts";
import { encodeId } from "#domain/ids.ts";
import { writeLateRange } from "#domain/late-range.ts";
import { type ListClock, type ListQueryRules, readListQuery } from "#server/lists/list-query.ts";
import type { RangeQuery } from "#server/lists/range-query.ts";

/** What the field of the range suggests. */
export const DUE_SUGGESTIONS = [
  ...["next hour", "today", "tomorrow", "next 7 days", "this month"],
  ...["last hour", "last night", "yesterday", "last 7 days"],
] as const;

/** The orders of the list. "upcoming" shows open schedules, next due first, then ended ones, last due first. */
export const SORTS = {
  upcoming: "Upcoming first",
  "-created_at": "Newest first",
  fire_at: "Earliest instant first",
  "-fire_at": "Latest instant first",
  late: "Most late first",
} as const;

export type Sort = keyof typeof SORTS;

export const ROWS_PER_PAGE = 20;
/** Filtered lists are counted up to the last row of this page. */
export const PAGES_MAX = 500;

/** Which schedules: the filters of GET /v1/schedules. */
export type ScheduleFilter = Omit<ListInput, "limit" | "offset" | "after" | "sort">;

export type ScheduleListQuery = {
  filter: ScheduleFilter;
  range: RangeQuery;
  sort: Sort;
  page: number;
  /** Where the page before has ended, in place of `page`: behind a search that ended early. */
  after: Cursor | undefined;
  /** The error message for the first invalid parameter of the address. */
  problem: string | undefined;
};

/** Reads the address of the list of schedules, or of a page that takes its filters. */
export function readScheduleListQuery(
  params: Readonly<Record<string, string | undefined>>,
  clock: ListClock,
): ScheduleListQuery {
  const { input, page, range, invalid } = readListQuery(RULES, params, clock);
  const { limit: _limit, offset: _offset, after: _after, sort: _sort, ...filter } = input;
  const sort = Object.hasOwn(SORTS, params.sort ?? "") ? (params.sort as Sort) : "upcoming";
  const problem = range.problem ?? (invalid[0] === undefined ? undefined : PROBLEMS.get(invalid[0]));
  const cursor = params.after === undefined ? null : readCursor(params.after);
  return { filter, range, sort, page, after: cursor?.order === sort ? cursor : undefined, problem };
}

/** The filter as parameters of an address, with instants that do not depend on the current time. */
export function filterParams({ status, q, from, to, late, host, code, idempotency_key, operation }: ScheduleFilter) {
  return {
    ...{ status: status?.join(","), q, from: from?.toISOString(), to: to?.toISOString(), host, code, idempotency_key },
    ...{ late: late && writeLateRange(late), operation: operation && encodeId("op", operation) },
  };
}

/** The filter as pages tell it in words. */
export function scopeOf(filter: ScheduleFilter): ScopeFilter {
  const { status: statuses = null, q = null, from = null, to = null, idempotency_key: idempotencyKey } = filter;
  const { late, host, code, operation } = filterParams(filter);
  return { statuses, q, from, to, late, host, code, idempotencyKey, operation };
}

const PROBLEMS = new Map([
  ["status", "That status does not exist."],
  ["q", "Search for plain text of at most 200 characters."],
  ["late", "Give how late in whole milliseconds, such as 250.. or 100..500."],
  ["host", "Give the whole host of a target, such as api.example.com."],
  ["code", "Give a status code such as 503, a class such as 5xx, or none."],
  ["idempotency_key", "An idempotency key has 1 to 255 characters."],
  ["operation", "That operation does not exist."],
]);

const RULES: ListQueryRules<ListInput> = {
  schema: ListInput,
  filters: ["status", ...FILTER_NAMES],
  lean: "future",
  rowsPerPage: ROWS_PER_PAGE,
  pagesMax: PAGES_MAX,
};
