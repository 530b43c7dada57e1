import { dayStart } from "#components/format/wall-clock.ts";
import { type ListClock, type ListQueryRules, readListQuery } from "#server/lists/list-query.ts";
import { ListInput } from "#server/schedules/list-input.ts";

/** The options of the filter by `fire_at`; "between" takes its bounds from the parameters `from` and `to`. */
export const FIRES = {
  hour: "In the next hour",
  today: "Today",
  week: "In the next 7 days",
  "past-day": "In the last 24 hours",
  between: "Between…",
} as const;

/** The orders of the list. "upcoming" shows open schedules, next due first, then ended ones, last due first. */
export const SORTS = {
  upcoming: "Upcoming first",
  "-created_at": "Newest first",
  fire_at: "Earliest instant first",
  "-fire_at": "Latest instant first",
} as const;

export type Fires = keyof typeof FIRES;
export type Sort = keyof typeof SORTS;

export const ROWS_PER_PAGE = 20;
/** Filtered lists are counted up to the last row of this page. */
export const PAGES_MAX = 500;

/** Which schedules: the filters of GET /v1/schedules. */
export type ScheduleFilter = Pick<ListInput, "status" | "q" | "from" | "to">;

export type ScheduleListQuery = {
  filter: ScheduleFilter;
  fires: Fires | undefined;
  sort: Sort;
  page: number;
  /** The error message for the first invalid parameter of the address. */
  problem: string | undefined;
};

/** Reads the address of the list of schedules, or of a page that takes its filters. */
export function readScheduleListQuery(
  params: Readonly<Record<string, string | undefined>>,
  clock: ListClock,
): ScheduleListQuery {
  const { input, page, range, invalid } = readListQuery(RULES, params, clock);
  const { status, q, from, to } = input;
  const sort = Object.hasOwn(SORTS, params.sort ?? "") ? (params.sort as Sort) : "upcoming";
  const isReversed = from !== undefined && to !== undefined && from >= to;
  const problem =
    invalid[0] === undefined ? isReversed && "The range ends before it begins." : PROBLEMS.get(invalid[0]);
  return { filter: { status, q, from, to }, fires: range, sort, page, problem: problem || undefined };
}

/** The filter as parameters of an address, with instants that do not depend on the current time. */
export function filterParams({ status, q, from, to }: ScheduleFilter) {
  return { status: status?.join(","), q, from: from?.toISOString(), to: to?.toISOString() };
}

const GIVE_IN_FULL = "Give dates and times in full, such as 27 March 2026, 14:30.";
const PROBLEMS = new Map([
  ["status", "That status does not exist."],
  ["q", "Search for plain text of at most 200 characters."],
  ["fires", "That range does not exist."],
  ["from", GIVE_IN_FULL],
  ["to", GIVE_IN_FULL],
]);

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const after = (at: Date, ms: number) => new Date(at.getTime() + ms);

const RULES: ListQueryRules<ListInput, Exclude<Fires, "between">> = {
  schema: ListInput,
  filters: ["status"],
  rangeName: "fires",
  presets: {
    hour: ({ now }) => ({ from: now, to: after(now, HOUR_MS) }),
    today: ({ now, zone }) => {
      const from = dayStart(now, zone);
      // A day has up to 25 hours.
      return { from, to: dayStart(after(from, 1.5 * DAY_MS), zone) };
    },
    week: ({ now }) => ({ from: now, to: after(now, 7 * DAY_MS) }),
    "past-day": ({ now }) => ({ from: after(now, -DAY_MS), to: now }),
  },
  isBetweenByDefault: true,
  rowsPerPage: ROWS_PER_PAGE,
  pagesMax: PAGES_MAX,
};
