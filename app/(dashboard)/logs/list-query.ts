import { type ListClock, type ListQuery, type ListQueryRules, readListQuery } from "#server/lists/list-query.ts";
import { LogPageInput, type LogsInput } from "#server/logs/list-input.ts";

export const ROWS_PER_PAGE = 50;
/** Pages up to this one have numbers; later ones are reached by a cursor. */
export const PAGES_COUNTED = 200;

/** How far back the log is shown. */
export const RANGES = { "1h": "Last hour", "24h": "Last 24 hours", "7d": "Last 7 days", between: "Between…" } as const;
export const CODE_NAMES = { "2xx": "2xx", "3xx": "3xx", "4xx": "4xx", "5xx": "5xx", none: "No answer" } as const;

type Preset = Exclude<keyof typeof RANGES, "between">;

export type LogListQuery = ListQuery<LogsInput, Preset>;

/** Reads the address of the log. */
export function readLogListQuery(params: Readonly<Record<string, string | undefined>>, clock: ListClock): LogListQuery {
  return readListQuery(RULES, params, clock);
}

const HOUR_MS = 3_600_000;
const last =
  (ms: number) =>
  ({ now }: ListClock) => ({ from: new Date(now.getTime() - ms) });

const RULES: ListQueryRules<LogsInput, Preset> = {
  schema: LogPageInput,
  filters: ["outcome", "code", "schedule_id", "after"],
  rangeName: "range",
  presets: { "1h": last(HOUR_MS), "24h": last(24 * HOUR_MS), "7d": last(168 * HOUR_MS) },
  rowsPerPage: ROWS_PER_PAGE,
  pagesMax: PAGES_COUNTED,
};
