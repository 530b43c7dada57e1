import type { ErrorDetail } from "../error.ts";
import type { Environment, LogFilter, OverviewFilter, ScheduleFilter, Status } from "../types.ts";
import {
  type Field,
  type Fields,
  idempotencyKey,
  listOf,
  oneOf,
  optional,
  parsed,
  readFields,
  text,
} from "./fields.ts";
import { type Filters, readCode, readHost, readLate } from "./filters.ts";
import { isId } from "./ids.ts";
import { parseInstant } from "./instants.ts";
import type { Search } from "./lists.ts";
import { checkPlace, filterOf, orderOf, type Place, readPlace } from "./places.ts";
import { refuse, refuseField } from "./refusal.ts";

/** The parameters of each endpoint that has some. */
export type Queries = {
  none: object;
  schedules: Page & Search & { sort?: ScheduleFilter["sort"] };
  logs: Page & Omit<Search, "status"> & Pick<LogFilter, "outcome" | "schedule_id" | "measured" | "sort">;
  operations: Page;
  overview: Pick<OverviewFilter, "period"> & Range;
};

/** Epoch ms; `to` is not included. */
export type Range = { from?: number | undefined; to?: number | undefined };

type Page = { limit?: number | undefined; offset?: number | undefined; after?: Place | undefined };

const STATUSES: readonly Status[] = ["scheduled", "firing", "succeeded", "failed", "dead", "cancelled"];

const instant: Field<number> = optional(
  parsed(parseInstant, "an RFC 3339 instant with an offset, such as 2031-01-01T09:00:00Z"),
);

const searchText: Field<string> = (value, report) => {
  const q = text(value, report);
  if (q?.includes("\0")) report("must not contain NUL");
  if (q !== undefined && [...q].length > 200) report("must be at most 200 characters");
  return q;
};

const FILTERS: Fields<Filters> = {
  late: optional(parsed(readLate, "a range of whole milliseconds, such as 250.., ..0 or 100..500")),
  host: optional(parsed(readHost, "the host of a target, such as api.example.com")),
  code: optional(parsed(readCode, "a status code such as 503, or one of 2xx, 3xx, 4xx, 5xx, none")),
  idempotency_key: optional(idempotencyKey),
  operation: optional(parsed((id) => (isId("op", id) ? id : null), "the id of an operation")),
};

/** The schedules of an operation, as the list of schedules finds them. */
export const SET_FIELDS: Fields<Search> = {
  status: optional(listOf(oneOf(...STATUSES), Infinity)),
  q: optional((value, report) => {
    if (value === "") report("must not be empty");
    return searchText(value, report);
  }),
  from: instant,
  to: instant,
  ...FILTERS,
};

const PAGE: Fields<Page> = {
  limit: optional(parsed((digits) => (/^[1-9]\d*$/.test(digits) ? Math.min(+digits, 100) : null), "an integer from 1")),
  offset: optional(
    parsed((digits) => {
      return /^(0|[1-9]\d*)$/.test(digits) && +digits <= 10_000 ? +digits : null;
    }, "an integer from 0 to 10000"),
  ),
  after: optional(parsed(readPlace, "copied unchanged from next_cursor")),
};

const SEARCH: typeof PAGE & Fields<Omit<Search, "status">> = {
  ...PAGE,
  q: optional(searchText),
  from: instant,
  to: instant,
  ...FILTERS,
};

const QUERIES: { readonly [Name in keyof Queries]: Fields<Queries[Name]> } = {
  none: {},
  schedules: {
    ...SEARCH,
    status: optional(parsed(readStatuses, `one or several of ${STATUSES.join(", ")}, separated by commas`)),
    sort: optional(oneOf("-created_at", "fire_at", "-fire_at", "late")),
  },
  logs: {
    ...SEARCH,
    outcome: optional(oneOf("succeeded", "failed")),
    schedule_id: optional(parsed((id) => (isId("sch", id) ? id : null), "the id of a schedule")),
    measured: optional(oneOf("true")),
    sort: optional(oneOf("-attempted_at", "late")),
  },
  operations: PAGE,
  overview: { period: optional(oneOf("24h", "7d", "30d")), from: instant, to: instant },
};

const env: Field<Environment> = optional(oneOf("live", "test"));

type AnyQuery = Page & Queries["overview"] & { readonly sort?: string; readonly env?: Environment };

/**
 * Reads the parameters of a call. `of` is the environment of its key, for an endpoint that may name it. Throws VALIDATION
 * for one that is unknown, given twice, empty or malformed.
 */
export function readQuery({ searchParams }: URL, name: keyof Queries, of: Environment | undefined): object {
  const fields = { ...QUERIES[name], ...(of && { env }) } as Fields<AnyQuery>;
  const values: { [name: string]: string } = Object.create(null);
  const problems: ErrorDetail[] = [];
  for (const [key, value] of searchParams) {
    if (!Object.hasOwn(fields, key)) problems.push({ path: key, message: "is unknown" });
    else if (key in values) problems.push({ path: key, message: "must be given once" });
    else if (value === "") problems.push({ path: key, message: "must not be empty" });
    values[key] = value;
  }
  if (problems.length) throw refuse(problems);
  const read = readFields(values, fields);
  if (name === "overview") checkSpan(read);
  if (read.after) checkPlace(read.after, orderOf(read, name), filterOf(read), read.offset);
  if (read.env && read.env !== of) throw refuseField("env", `must be ${of}, the environment of the API key`);
  return read;
}

function checkSpan({ period, from, to }: Queries["overview"]): void {
  const isRange = from !== undefined || to !== undefined;
  const problems = [
    ...(period && isRange ? [{ path: "period", message: "cannot be combined with from or to" }] : []),
    ...((from ?? -Infinity) >= (to ?? Infinity) ? [{ path: "to", message: "must be after from" }] : []),
  ];
  if (problems.length) throw refuse(problems);
}

function readStatuses(list: string): Status[] | null {
  const names = list.split(",");
  const known = STATUSES.filter((status) => names.includes(status));
  return names.every((name) => known.some((status) => status === name)) ? known : null;
}
