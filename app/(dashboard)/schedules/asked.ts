import { dayStart, instantOfWallClock } from "#components/format/wall-clock.ts";
import { parseInstant } from "#domain/instant.ts";
import { type ScheduleStatus, STATUSES } from "#domain/states.ts";

/** When schedules fire, as the filter offers it; "between" has two instants of its own. */
export const FIRES = {
  hour: "In the next hour",
  today: "Today",
  week: "In the next 7 days",
  "past-day": "In the last 24 hours",
  between: "Between…",
} as const;

/** How a list is sorted; "upcoming" is what is to come, the next first, and behind it what has ended, the last first. */
export const SORTS = {
  upcoming: "Upcoming first",
  "-created_at": "Newest first",
  fire_at: "Earliest instant first",
  "-fire_at": "Latest instant first",
} as const;

export type Fires = keyof typeof FIRES;
export type Sort = keyof typeof SORTS;

/** Which schedules: what GET /v1/schedules calls `status`, `q`, `from` and `to`. */
export type ScheduleFilter = { statuses?: ScheduleStatus[]; q?: string; from?: Date; to?: Date };

/** What the address of the list asks for; `problem` says what of it cannot be asked. */
export type Asked = { filter: ScheduleFilter; fires?: Fires; sort: Sort; page: number; problem?: string };

type Params = Readonly<Record<string, string | undefined>>;

/** Reads the parameters of the list. Instants are RFC 3339, or what clocks in `zone` show. */
export function readAsked(params: Params, { now, zone }: { now: Date; zone: string }): Asked {
  const problems: string[] = [];
  const statuses = readStatuses(params.status, problems);
  const q = readQ(params.q, problems);
  const fires = readFires(params, problems);
  const { from, to } = fires === "between" ? between(params, zone, problems) : presetRange(fires, now, zone);
  const sort = Object.hasOwn(SORTS, params.sort ?? "") ? (params.sort as Sort) : "upcoming";
  const [problem] = problems;
  return {
    filter: { ...(statuses && { statuses }), ...(q && { q }), ...(from && { from }), ...(to && { to }) },
    ...(fires && { fires }),
    ...{ sort, page: readPage(params.page) },
    ...(problem && { problem }),
  };
}

/** The same filter as parameters of an address, with instants that do not move with the time of day. */
export function filterParams({ statuses, q, from, to }: ScheduleFilter): Params {
  return { status: statuses?.join(","), q, from: from?.toISOString(), to: to?.toISOString() };
}

function readStatuses(text: string | undefined, problems: string[]): ScheduleStatus[] | undefined {
  if (text === undefined) return undefined;
  const names = text.split(",");
  const known = names.filter((name): name is ScheduleStatus => STATUSES.some((status) => status === name));
  if (known.length < names.length) problems.push("The address names a status that there is not.");
  return known;
}

const Q_LENGTH_MAX = 200;

function readQ(text: string | undefined, problems: string[]): string | undefined {
  const q = text?.trim();
  if (!q) return undefined;
  if (q.includes("\0") || !q.isWellFormed()) problems.push("What is looked for must be plain text.");
  if ([...q].length > Q_LENGTH_MAX) problems.push(`What is looked for must be at most ${Q_LENGTH_MAX} characters.`);
  return q;
}

function readFires({ fires, from, to }: Params, problems: string[]): Fires | undefined {
  if (fires === undefined) return from || to ? "between" : undefined;
  if (Object.hasOwn(FIRES, fires)) return fires as Fires;
  problems.push("The address names a range that there is not.");
  return undefined;
}

type Range = { from?: Date | undefined; to?: Date | undefined };

function between(params: Params, zone: string, problems: string[]): Range {
  const read = (text: string | undefined): Date | undefined => {
    if (text === undefined) return undefined;
    const epochMs = parseInstant(text);
    const at = epochMs === null ? instantOfWallClock(text, zone) : new Date(epochMs);
    if (at === null) problems.push("Give dates and times in full, such as 27 March 2026, 14:30.");
    return at ?? undefined;
  };
  const [from, to] = [read(params.from), read(params.to)];
  if (from && to && from >= to) problems.push("The range ends before it begins.");
  return { from, to };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function presetRange(fires: Exclude<Fires, "between"> | undefined, now: Date, zone: string): Range {
  const at = (ms: number) => new Date(now.getTime() + ms);
  if (fires === "hour") return { from: now, to: at(HOUR_MS) };
  if (fires === "week") return { from: now, to: at(7 * DAY_MS) };
  if (fires === "past-day") return { from: at(-DAY_MS), to: now };
  if (fires !== "today") return {};
  const from = dayStart(now, zone);
  // A day has up to 25 hours.
  return { from, to: dayStart(new Date(from.getTime() + 1.5 * DAY_MS), zone) };
}

/** A list is counted through up to here; 20 rows each. */
export const PAGES_MAX = 500;

function readPage(text: string | undefined): number {
  const page = /^[1-9]\d{0,4}$/.test(text ?? "") ? Number(text) : 1;
  return Math.min(page, PAGES_MAX);
}
