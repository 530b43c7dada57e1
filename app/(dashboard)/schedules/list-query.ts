import type { ScopeFilter } from "#components/schedules/operation-words.ts";
import { type Cursor, readCursor } from "#contract/inputs/cursor.ts";
import { ListInput } from "#contract/inputs/list-input.ts";
import { FILTER_NAMES, FILTERS, filtersOf, writeFilters } from "#domain/filters.ts";
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
export function filterParams(filter: ScheduleFilter) {
  const { status, q, from, to } = filter;
  return {
    status: status?.join(","),
    q,
    from: from?.toISOString(),
    to: to?.toISOString(),
    ...writeFilters(filtersOf(filter), undefined),
  };
}

/** The filter as pages tell it in words. */
export function scopeOf(filter: ScheduleFilter): ScopeFilter {
  const { status: statuses = null, q = null, from = null, to = null } = filter;
  return { statuses, q, from, to, ...writeFilters(filtersOf(filter), null) };
}

const PROBLEMS = new Map<string, string>([
  ["status", "That status does not exist."],
  ["q", "Search for plain text of at most 200 characters."],
  ...FILTER_NAMES.map((name) => [name, FILTERS[name].ask] as const),
]);

const RULES: ListQueryRules<ListInput> = {
  schema: ListInput,
  filters: ["status", ...FILTER_NAMES],
  lean: "future",
  rowsPerPage: ROWS_PER_PAGE,
  pagesMax: PAGES_MAX,
};
