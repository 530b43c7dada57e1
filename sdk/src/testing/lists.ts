import { type Cursor, writeCursor } from "../../../contract/inputs/cursor.ts";
import { filterDigest } from "../../../contract/inputs/filter-digest.ts";
import type { ListInput } from "../../../contract/inputs/list-input.ts";
import type { LogsInput } from "../../../contract/inputs/logs-input.ts";
import { OPERATION_ORDER, type OperationListInput } from "../../../contract/inputs/operation-input.ts";
import { RECURRENCE_ORDER, type RecurrenceListInput } from "../../../contract/inputs/recurrence-input.ts";
import type { NamedFilters } from "../../../domain/filters.ts";
import { decodeId, encodeId, type IdPrefix } from "../../../domain/ids.ts";
import { searchedTarget } from "../../../domain/searched-target.ts";
import type { LoggedAttempt, LogPage, Operation, Page, Recurrence, Schedule, Status } from "../types.ts";
import { type Account, DAY_MS, type Stored } from "./account.ts";
import { hasCode, isLate, isOfRequest } from "./filters.ts";
import { presentOperation, presentRecurrence, presentSchedule } from "./present.ts";

/** A row, and its place in the order of the list. The id is a UUID. */
type Row<T> = { value: T; atMs: number; id: string; attempt: number };

/** Which schedules: by status, target and `fire_at`. */
export type Search = NamedFilters & {
  status?: Status[] | undefined;
  q?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
};

const COUNTED_MAX = 10_000;

export function listSchedules(account: Account, query: ListInput): Page<Schedule> {
  const order = query.sort;
  const isByLateness = order === "late";
  const atOf = (stored: Stored) => {
    if (isByLateness) return lateMsOf(stored) ?? stored.createdMs;
    return order === "-created_at" ? stored.createdMs : stored.fireMs;
  };
  const found = searchSchedules(account, query);
  const rows = found.map((value) => {
    return {
      value,
      atMs: atOf(value),
      id: uuidOf("sch", value.id),
      attempt: isByLateness && lateMsOf(value) === null ? 1 : 0,
    };
  });
  return pageOf(rows, query, order, presentSchedule, true);
}

/** The schedules that match. A short `q` looks at the newest 10,000 alone. */
export function searchSchedules(account: Account, search: Search): Stored[] {
  const { status, q, from, to, late, code } = search;
  const all = [...account.schedules.values()];
  const rows = q !== undefined && [...q].length < 3 ? all.slice(-COUNTED_MAX) : all;
  return rows.filter(
    (row) =>
      (!status || status.includes(row.status)) &&
      isWithin(row.fireMs, from, to) &&
      hasTarget(row, q) &&
      isLate(late, lateMsOf(row)) &&
      (code === undefined || (row.log.length > 0 && hasCode(code, row.log.at(-1)?.status_code ?? null))) &&
      isOfRequest(account, row, search),
  );
}

const lateMsOf = ({ firedMs, fireMs }: Stored) => (firedMs === null ? null : firedMs - fireMs);

export function listLogs(account: Account, query: LogsInput): LogPage {
  const { q, from, to, outcome, code, late, measured, schedule_id: scheduleId } = query;
  const order = query.sort;
  const sinceMs = account.nowMs - account.limits.retentionDays * DAY_MS;
  const rows: Row<LoggedAttempt>[] = [];
  for (const stored of account.schedules.values()) {
    if (!hasTarget(stored, q) || (scheduleId !== undefined && encodeId("sch", scheduleId) !== stored.id)) continue;
    if (!isOfRequest(account, stored, query)) continue;
    for (const { atMs, timing, ...attempt } of stored.log) {
      const status = attempt.status_code;
      if (atMs <= sinceMs || !isWithin(atMs, from, to)) continue;
      if (measured && (stored.isAsked || stored.firedMs !== atMs)) continue;
      if (!hasCode(code, status) || !isLate(late, measured ? lateMsOf(stored) : timing.late)) continue;
      if (outcome && (outcome === "succeeded") !== (classOf(status) === "2xx")) continue;
      const value = { schedule_id: stored.id, target_url: stored.targetUrl, method: stored.method, ...attempt };
      const at = order === "late" ? (timing.late ?? 0) : atMs;
      rows.push({
        value: { ...value, late_ms: timing.late },
        atMs: at,
        id: uuidOf("sch", stored.id),
        attempt: attempt.attempt,
      });
    }
  }
  const page = pageOf(rows, query, order, (value) => value);
  return { ...page, retention_days: account.limits.retentionDays };
}

export function listOperations(account: Account, query: OperationListInput): Page<Operation> {
  const rows = [...account.operations.values()].map((value) => {
    return { value, atMs: value.createdMs, id: uuidOf("op", value.id), attempt: 0 };
  });
  return pageOf(rows, query, OPERATION_ORDER, presentOperation);
}

export function listRecurrences(account: Account, query: RecurrenceListInput): Page<Recurrence> {
  const rows = [...account.recurrences.values()]
    .filter(({ status }) => query.status === undefined || status === query.status)
    .map((value) => ({ value, atMs: value.createdMs, id: value.id, attempt: 0 }));
  return pageOf(rows, query, RECURRENCE_ORDER, (value) => presentRecurrence(account, value));
}

/** One page of rows. An order that begins with a minus is descending, as that of lateness; ties are sorted by id. */
function pageOf<T, Item>(
  rows: Row<T>[],
  query: { limit: number; offset: number; after?: Cursor | undefined },
  order: string,
  present: (value: T) => Item,
  unsentLast = false,
): Page<Item> {
  const { limit, after } = query;
  const offset = after?.rowsBefore ?? query.offset;
  const isByLateness = order === "late";
  const direction = order.startsWith("-") || isByLateness ? -1 : 1;
  // Schedules that were not sent come after the others, newest first.
  const half = ({ attempt }: Omit<Row<T>, "value">) => (isByLateness && unsentLast ? -attempt : 0);
  const compare = (a: Omit<Row<T>, "value">, b: Omit<Row<T>, "value">) =>
    direction * (half(a) - half(b) || a.atMs - b.atMs || (a.id < b.id ? -1 : a.id > b.id ? 1 : a.attempt - b.attempt));
  rows.sort(compare);
  const rest = after ? rows.filter((row) => compare(row, after) > 0) : rows.slice(offset);
  const shown = rest.slice(0, limit);
  const last = shown.at(-1);
  const filter = filterDigest(query);
  const isCapped = filter !== filterDigest({}) && rows.length > COUNTED_MAX;
  const next = last && { order, filter, atMs: last.atMs, id: last.id, attempt: last.attempt };
  return {
    items: shown.map(({ value }) => present(value)),
    total: isCapped ? COUNTED_MAX : rows.length,
    ...(isCapped && { total_capped: true }),
    limit,
    offset,
    next_cursor: next && rest.length > limit ? writeCursor({ ...next, rowsBefore: offset + shown.length }) : null,
  };
}

function hasTarget({ id, targetUrl }: Stored, q: string | undefined): boolean {
  return q === undefined || id === q || targetUrl.toLowerCase().includes(searchedTarget(q).toLowerCase());
}

function isWithin(ms: number, from?: Date, to?: Date): boolean {
  return ms >= (from?.getTime() ?? -Infinity) && ms < (to?.getTime() ?? Infinity);
}

const uuidOf = (prefix: IdPrefix, id: string) => decodeId(prefix, id) as string;

function classOf(statusCode: number | null): string {
  return statusCode === null ? "none" : `${Math.floor(statusCode / 100)}xx`;
}
