import { type SQL, sql } from "drizzle-orm";
import { parseCode } from "#domain/answer-code.ts";
import { isTerminal, type ScheduleStatus, STATUSES } from "#domain/states.ts";
import type { DbOrTx } from "../../orm.ts";
import { ownedBy } from "../accounts/owned-by.ts";
import type { Tenant } from "../accounts/tenant.ts";
import { cursorRow } from "../page.ts";
import { type PassStatement, runPass } from "./passes.ts";
import { isShort, SHORT_Q_ROWS, substringPattern } from "./query.ts";
import { wasCreatedBefore } from "./scan-schedules.ts";
import { inShardOf, isFiltered, type ScheduleKey, type WantedSchedules } from "./schedule-search.ts";
import {
  all,
  hasCode,
  hasHost,
  isDueIn,
  isLate,
  isOfRecurrence,
  isOfRequest,
  isOfState,
  looksAtRequest,
} from "./search-filter.ts";
import type { Source } from "./search-sources.ts";

/** Rows with these columns can be sorted and checked: `is_unsent` rows have no lateness, and come last in its order. */
const COLUMNS = sql`created_at, fire_at, offset_ms, ${sql.raw(`status IN ('${STATUSES.filter(isTerminal).join("', '")}')`)} AS is_ended`;

/**
 * The sources for a search with filters that the passes of `list-schedules` do not know, or in the order of lateness. Each
 * scans rows by one index, newest or latest first, and looks up what the other conditions ask. The first is in the order of
 * the list, unless one schedule at most can match, or `q` is short.
 */
export function narrowSources(db: DbOrTx, tenant: Tenant, wanted: WantedSchedules): Source<ScheduleKey>[] {
  const { q, sort, host, operationId, idempotencyKey, recurrence, late, after } = wanted;
  const own = ownedBy(tenant);
  const order = ORDERS[sort];
  const behind = after ? isBehind(sort, after) : sql`true`;
  const statuses = possibleStatuses(wanted);
  const range = isDueIn(sql, wanted);

  const ofRequest = isOfRequest(sql, tenant, wanted);
  const ofState = isOfState(sql, STATE, { ...wanted, statuses });
  const looksAtState = isNarrowedByState(wanted) || sort !== "-created_at";

  const withRequest = (rows: SQL) =>
    // The host is in the row of the schedule too.
    looksAtRequest({ ...wanted, host: undefined })
      ? sql`SELECT l.* FROM ${rows} CROSS JOIN LATERAL (
          SELECT FROM schedule_requests WHERE schedule_id = l.id AND ${ofRequest} LIMIT 1) r WHERE l.passes`
      : sql`SELECT * FROM ${rows} WHERE passes`;
  const withState = (rows: SQL) =>
    looksAtState
      ? sql`SELECT l.id, s.*, s.offset_ms IS NULL AS is_unsent FROM ${rows} CROSS JOIN LATERAL (
          SELECT ${COLUMNS} FROM schedules WHERE id = l.id AND ${ofState} LIMIT 1) s WHERE l.passes`
      : sql`SELECT * FROM ${rows} WHERE passes`;

  const created = wasCreatedBefore(wanted);
  const isNewest = sort === "-created_at";
  const requestsOf = (index: SQL, isInOrder: boolean) => (limit: number) =>
    sql`
    SELECT schedule_id AS id, created_at, ${ofRequest} AS passes FROM schedule_requests
    WHERE ${own} AND ${index} AND ${created} AND ${isInOrder && after ? sql`(created_at, schedule_id) < ${cursorRow(after)}` : sql`true`}
    ORDER BY created_at DESC, schedule_id DESC LIMIT ${limit}`;
  const rowsOf = (condition: SQL, by: SQL) => (limit: number) =>
    sql`(
    SELECT id, ${COLUMNS}, ${ofState} AS passes FROM schedules WHERE ${own} AND ${condition} ORDER BY ${by} LIMIT ${limit})`;

  const legs = (of: readonly ScheduleStatus[], direction: SQL, isInOrder: boolean) => (limit: number) => {
    const by = sql`fire_at ${direction}, id ${direction}`;
    const each = of.map((status) =>
      rowsOf(
        sql`status = ${status} ${status === "firing" ? inShardOf(tenant) : sql``} AND ${range} AND ${isInOrder ? behind : sql`true`}`,
        by,
      )(limit),
    );
    const rows = each.length > 0 ? sql.join(each, sql` UNION ALL `) : NO_ROWS;
    return sql`SELECT *, offset_ms IS NULL AS is_unsent FROM (${rows}) legs ORDER BY ${by} LIMIT ${limit}`;
  };
  // UNION ALL reads the second half after the first, and only up to the limit.
  const halves = (first: SQL, second: SQL, limit: number) =>
    sql`SELECT * FROM ((${first}) UNION ALL (${second})) halves LIMIT ${limit}`;
  const upcoming = (limit: number) =>
    halves(
      legs(
        statuses.filter((status) => !isTerminal(status)),
        sql`ASC`,
        false,
      )(limit),
      legs(statuses.filter(isTerminal), sql`DESC`, false)(limit),
      limit,
    );
  const isFailure = wanted.code !== undefined && !statuses.includes("succeeded");
  const ofAnswer = (limit: number) =>
    sql`SELECT *, offset_ms IS NULL AS is_unsent FROM ${rowsOf(
      sql`${IS_FAILED_ANSWER} AND ${hasCode(sql, wanted.code ?? "", sql`last_status_code`, sql`last_status_code IS NULL`)}`,
      sql`last_status_code DESC, fire_at DESC, id DESC`,
    )(limit)} answered`;
  const latest = (limit: number) =>
    sql`SELECT *, false AS is_unsent FROM ${rowsOf(
      all(sql, [
        sql`offset_ms IS NOT NULL`,
        late && isLate(sql, sql`offset_ms`, late),
        sort === "late" && after && (after.attempt === 1 ? sql`false` : isLater(after)),
      ]),
      sql`offset_ms DESC, id DESC`,
    )(limit)} late`;
  const unsent = (limit: number) => sql`
    SELECT l.id, s.*, true AS is_unsent FROM (
      SELECT schedule_id AS id, created_at AS at FROM schedule_requests
      WHERE ${own} AND ${after?.attempt === 1 ? sql`(created_at, schedule_id) < ${cursorRow(after)}` : sql`true`}
      ORDER BY created_at DESC, schedule_id DESC) l
    CROSS JOIN LATERAL (
      SELECT ${COLUMNS}, offset_ms IS NULL AND ${ofState} AS passes FROM schedules WHERE id = l.id LIMIT 1) s
    LIMIT ${limit}`;
  const hasSent = statuses.some((status) => status !== "scheduled");
  const byLateness = (limit: number) => {
    if (!hasSent) return unsent(limit);
    return late ? latest(limit) : halves(latest(limit), unsent(limit), limit);
  };

  const key = sql`json_build_array(id, ${KEYS[sort]}, ${sort === "late" ? sql`is_unsent::integer` : sql`0`})`;
  const source = (isInOrder: boolean, statement: Pick<PassStatement, "scanned" | "found">): Source<ScheduleKey> => ({
    isInOrder,
    scan: (rowsMax, foundMax) =>
      runPass<ScheduleKey>(db, wanted, { order, key, behind }, { ...statement, rowsMax, foundMax, isInOrder }),
  });
  const ofRequests = (index: SQL, isInOrder = isNewest) =>
    source(isInOrder, { scanned: requestsOf(index, isInOrder), found: withState });

  if (idempotencyKey !== undefined) {
    const scanned = () => sql`
      SELECT schedule_id AS id, created_at, ${ofRequest} AS passes FROM (
        SELECT * FROM schedule_requests WHERE ${own} AND idempotency_key = ${idempotencyKey} OFFSET 0) r`;
    return [source(false, { scanned, found: withState })];
  }
  if (q && isShort(q)) return [{ ...ofRequests(sql`true`, false), rowsMax: SHORT_Q_ROWS }];

  const lists = [
    operationId !== undefined && ofRequests(sql`operation_id = ${operationId}::uuid`),
    host !== undefined && ofRequests(hasHost(sql, sql`target_url`, host)),
  ].filter((one) => one !== false);
  const byFire = { fire_at: legs(statuses, sql`ASC`, true), "-fire_at": legs(statuses, sql`DESC`, true), upcoming };
  const inOrder = isNewest
    ? (lists.shift() ?? ofRequests(sql`true`))
    : source(true, { scanned: sort === "late" ? byLateness : byFire[sort], found: withRequest });
  const byTarget = q && {
    scanned: (limit: number) => sql`
      SELECT m.schedule_id AS id, m.created_at, true AS passes
      FROM matched_requests(${tenant.accountId}, ${tenant.env}, ${substringPattern(q)}, ${limit}::integer) m
      ${q.scheduleId ? sql`UNION SELECT schedule_id, created_at, true FROM schedule_requests WHERE ${own} AND schedule_id = ${q.scheduleId}` : sql``}`,
    found: (rows: SQL) => withState(sql`(${withRequest(rows)}) l`),
  };
  const ofRecurrence = recurrence !== undefined && {
    scanned: (limit: number) => sql`
      SELECT schedule_id AS id, created_at, ${ofRequest} AS passes FROM schedule_requests
      WHERE ${own} AND ${isOfRecurrence(sql, tenant, recurrence)} ORDER BY occurrence_at DESC, schedule_id DESC LIMIT ${limit}`,
    found: withState,
  };
  const hasLegs = sort === "-created_at" || sort === "late";
  return [
    inOrder,
    ...lists,
    late && sort !== "late" && source(false, { scanned: latest, found: withRequest }),
    isFailure && source(false, { scanned: ofAnswer, found: withRequest }),
    hasLegs && isFiltered(wanted) && source(false, { scanned: legs(statuses, sql`DESC`, false), found: withRequest }),
    ofRecurrence && source(false, ofRecurrence),
    byTarget && source(false, byTarget),
  ].filter((one) => one !== false && one !== undefined);
}

const STATE = {
  status: sql`status`,
  offsetMs: sql`offset_ms`,
  statusCode: sql`last_status_code`,
  isUnanswered: sql`(last_status_code IS NULL AND last_error IS NOT NULL AND last_attempt_at IS NOT NULL)`,
};

const NO_ROWS = sql`SELECT id, ${COLUMNS}, false AS passes FROM schedules WHERE false`;

const ORDERS: Record<WantedSchedules["sort"], SQL> = {
  "-created_at": sql`created_at DESC, id DESC`,
  fire_at: sql`fire_at, id`,
  "-fire_at": sql`fire_at DESC, id DESC`,
  // For ended schedules both CASEs are null, so `fire_at` and `id` decide.
  upcoming: sql`is_ended, CASE WHEN NOT is_ended THEN fire_at END, CASE WHEN NOT is_ended THEN id END, fire_at DESC, id DESC`,
  late: sql`is_unsent, CASE WHEN NOT is_unsent THEN offset_ms END DESC, CASE WHEN is_unsent THEN created_at END DESC, id DESC`,
};

const KEYS: Record<WantedSchedules["sort"], SQL> = {
  "-created_at": sql`extract(epoch FROM created_at) * 1000`,
  fire_at: sql`extract(epoch FROM fire_at) * 1000`,
  "-fire_at": sql`extract(epoch FROM fire_at) * 1000`,
  upcoming: sql`extract(epoch FROM fire_at) * 1000`,
  late: sql`CASE WHEN is_unsent THEN extract(epoch FROM created_at) * 1000 ELSE offset_ms END`,
};

type After = NonNullable<WantedSchedules["after"]>;

const isLater = ({ atMs, id }: After) => sql`(offset_ms, id) < (${atMs}::bigint, ${id}::uuid)`;

function isBehind(sort: WantedSchedules["sort"], after: After): SQL {
  if (sort === "late")
    return after.attempt === 1
      ? sql`is_unsent AND (created_at, id) < ${cursorRow(after)}`
      : sql`(is_unsent OR ${isLater(after)})`;
  const column = sort === "-created_at" ? sql`created_at` : sql`fire_at`;
  return sql`(${column}, id) ${sort === "fire_at" ? sql`>` : sql`<`} ${cursorRow(after)}`;
}

// Every 2xx is a delivery, and no other status code is. A schedule that was never attempted has no answer and no lateness.
function possibleStatuses({ statuses, code, late }: WantedSchedules): ScheduleStatus[] {
  const range = code === undefined ? undefined : parseCode(code);
  const isDelivered = range && range.from >= 200 && range.to < 300;
  return [...new Set(statuses ?? STATUSES)].filter((status) => {
    if (range !== undefined && (status === "succeeded") !== (isDelivered ?? false)) return false;
    return status !== "scheduled" || (late ?? range) === undefined;
  });
}

const isNarrowedByState = (wanted: WantedSchedules) => isFiltered(wanted) || (wanted.late ?? wanted.code) !== undefined;

// The condition of the index of failed answers.
const IS_FAILED_ANSWER = sql`(last_status_code < 200 OR last_status_code >= 300 OR last_error IS NOT NULL)`;
