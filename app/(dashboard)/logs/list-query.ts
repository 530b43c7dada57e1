import { LogPageInput, type LogsInput } from "#contract/inputs/logs-input.ts";
import { FILTER_NAMES } from "#domain/filters.ts";
import { type ListClock, type ListQuery, type ListQueryRules, readListQuery } from "#server/lists/list-query.ts";

export const ROWS_PER_PAGE = 50;
/** Pages up to this one have numbers; later ones are reached by a cursor. */
export const PAGES_COUNTED = 200;

/** What the field of the range suggests. */
export const SENT_SUGGESTIONS = [
  ...["last hour", "last 24 hours", "today", "yesterday", "last night"],
  ...["last 7 days", "this month", "last month"],
] as const;
/** The orders of the log. */
export const ORDERS = { "-attempted_at": "Newest first", late: "Most late first" } as const;

export type LogListQuery = ListQuery<LogsInput>;

/** Reads the address of the log. */
export function readLogListQuery(params: Readonly<Record<string, string | undefined>>, clock: ListClock): LogListQuery {
  return readListQuery(RULES, params, clock);
}

const RULES: ListQueryRules<LogsInput> = {
  schema: LogPageInput,
  filters: ["outcome", "schedule_id", ...FILTER_NAMES, "measured", "sort", "after"],
  lean: "past",
  rowsPerPage: ROWS_PER_PAGE,
  pagesMax: PAGES_COUNTED,
};
