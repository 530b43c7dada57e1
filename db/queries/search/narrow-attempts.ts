import { type SQL, sql } from "drizzle-orm";
import { parseCode } from "#domain/answer-code.ts";
import { readCursorLateness } from "#domain/cursor-lateness.ts";
import type { DbOrTx } from "../../orm.ts";
import { ownedBy } from "../accounts/owned-by.ts";
import type { Tenant } from "../accounts/tenant.ts";
import type { AttemptCursor, AttemptKey, AttemptSearch } from "./attempt-search.ts";
import { type PassStatement, runPass } from "./passes.ts";
import { isShort, SHORT_Q_ROWS, substringPattern } from "./query.ts";
import { all, hasCode, hasHost, isLate, isOfRecurrence, isOfRequest, looksAtRequest } from "./search-filter.ts";
import type { Source } from "./search-sources.ts";

/** Attempts of one schedule cost about as much as so many rows of one index. */
const COST_OF_SCHEDULE = 4;

/**
 * The sources for a search of the log with filters that the passes of `list-attempts` do not know, or in the order of
 * lateness. Each scans attempts by one index, or schedules by one of theirs and then their attempts. The first is in the
 * order of the list, unless the attempts of few schedules can match, or `q` is short.
 */
export function narrowSources(
  db: DbOrTx,
  tenant: Tenant,
  windowStart: Date,
  wanted: AttemptSearch,
): Source<AttemptKey>[] {
  const {
    q,
    from,
    to,
    host,
    operationId,
    idempotencyKey,
    recurrence,
    scheduleId,
    late,
    measured,
    after,
    sort = "-attempted_at",
  } = wanted;
  const isByLateness = sort === "late";
  const start = from && from > windowStart ? from : windowStart;
  const own = all(sql, [
    ownedBy(tenant),
    start === from
      ? sql`attempted_at >= ${start.toISOString()}::timestamptz`
      : sql`attempted_at > ${start.toISOString()}::timestamptz`,
    to && sql`attempted_at < ${to.toISOString()}::timestamptz`,
  ]);
  const order = isByLateness
    ? sql`late_ms DESC NULLS LAST, schedule_id DESC, attempt DESC`
    : sql`attempted_at DESC, schedule_id DESC, attempt DESC`;
  const behind = after ? (isByLateness ? isLater(after) : isEarlier(after)) : sql`true`;

  const ofRequest = isOfRequest(sql, tenant, wanted);
  const { isDelivered, isUndelivered } = possibleOutcomes(wanted);
  const isOfCode = wanted.code !== undefined && hasCode(sql, wanted.code, sql`status_code`, sql`status_code IS NULL`);
  const isInRange = late && !measured && isLate(sql, sql`floor(late_ms)`, late);
  const ofAttempt = all(sql, [
    !isUndelivered && sql`outcome = 'delivered'`,
    !isDelivered && sql`outcome <> 'delivered'`,
    isOfCode,
    isInRange,
  ]);
  const columns = sql`schedule_id, attempt, attempted_at, late_ms`;
  // Only what the indexes of outcomes have, where that suffices: the status code of undelivered attempts.
  const columnsOfLeg = isByLateness || late ? columns : sql`schedule_id, attempt, attempted_at, NULL::real AS late_ms`;

  const isMeasured = (attemptedAt: SQL) =>
    all(sql, [
      measured && sql`fired_at = ${attemptedAt} AND (fire_at = created_at OR fire_at <= moved_to_now_at) IS NOT TRUE`,
      measured && late && isLate(sql, sql`offset_ms`, late),
    ]);
  const withRequest = (rows: SQL) => {
    const request = sql`CROSS JOIN LATERAL (
      SELECT FROM schedule_requests WHERE schedule_id = l.schedule_id AND ${ofRequest} LIMIT 1) r`;
    const schedule = sql`CROSS JOIN LATERAL (
      SELECT FROM schedules WHERE id = l.schedule_id AND ${isMeasured(sql`l.attempted_at`)} LIMIT 1) s`;
    return sql`SELECT l.* FROM ${rows} ${looksAtRequest(wanted) ? request : sql``} ${measured ? schedule : sql``} WHERE l.passes`;
  };
  // Two legs, because each outcome has an index of its own.
  const newest = (isInOrder: boolean) => (limit: number) => {
    const legs = [isDelivered && sql`outcome = 'delivered'`, isUndelivered && sql`outcome <> 'delivered'`]
      .filter((leg) => leg !== false)
      .map(
        (leg) => sql`(SELECT ${columnsOfLeg}, ${all(sql, [isOfCode, isInRange])} AS passes FROM attempts
          WHERE ${own} AND ${isInOrder ? behind : sql`true`} AND ${leg}
          ORDER BY attempted_at DESC, schedule_id DESC, attempt DESC LIMIT ${limit})`,
      );
    const rows =
      legs.length > 0
        ? sql.join(legs, sql` UNION ALL `)
        : sql`SELECT ${columnsOfLeg}, false AS passes FROM attempts WHERE false`;
    return sql`SELECT * FROM (${rows}) legs ORDER BY attempted_at DESC, schedule_id DESC, attempt DESC LIMIT ${limit}`;
  };
  const ofLateness = (isNull: boolean) => (limit: number) =>
    sql`
    SELECT ${columns}, ${ofAttempt} AS passes FROM attempts
    WHERE ${own} AND late_ms IS ${isNull ? sql`NULL` : sql`NOT NULL`} ${late && !measured && !isNull ? sql`AND ${isWithin(late)}` : sql``}
      AND ${isByLateness && after ? isBehindIn(after, isNull) : sql`true`}
    ORDER BY late_ms DESC, schedule_id DESC, attempt DESC LIMIT ${limit}`;
  // UNION ALL reads the attempts without lateness after the others, and only up to the limit.
  const latest = (limit: number) =>
    (late ?? measured)
      ? ofLateness(false)(limit)
      : sql`SELECT * FROM ((${ofLateness(false)(limit)}) UNION ALL (${ofLateness(true)(limit)})) halves LIMIT ${limit}`;

  const key = sql`json_build_array(schedule_id, attempt, extract(epoch FROM attempted_at) * 1000, late_ms::float8)`;
  const source = (isInOrder: boolean, statement: Pick<PassStatement, "scanned" | "found">): Source<AttemptKey> => ({
    isInOrder,
    scan: (rowsMax, foundMax) =>
      runPass<AttemptKey>(db, wanted, { order, key, behind }, { ...statement, rowsMax, foundMax, isInOrder }),
  });
  // The bounds leave one or two partitions for each schedule. OFFSET 0 keeps them in the subquery.
  const ofSchedules = (rows: SQL) => sql`
    SELECT a.* FROM ${rows} JOIN schedules s ON s.id = l.schedule_id CROSS JOIN LATERAL (
      SELECT ${columns}, ${ofAttempt} AS passes FROM attempts
      WHERE schedule_id = s.id AND ${own} AND attempted_at BETWEEN s.created_at - interval '1 hour' AND s.last_attempt_at OFFSET 0) a
    WHERE l.passes AND a.passes AND ${isMeasured(sql`a.attempted_at`)}`;
  const bySchedules = (scanned: (limit: number) => SQL): Source<AttemptKey> => ({
    ...source(false, { scanned, found: ofSchedules }),
    cost: COST_OF_SCHEDULE,
  });
  const requestsOf = (index: SQL) => (limit: number) =>
    sql`
    SELECT schedule_id, ${ofRequest} AS passes FROM schedule_requests WHERE ${ownedBy(tenant)} AND ${index}
    ORDER BY created_at DESC, schedule_id DESC LIMIT ${limit}`;

  const ofOffsets = (range: NonNullable<AttemptSearch["late"]>) => (limit: number) =>
    sql`
    SELECT id AS schedule_id, true AS passes FROM schedules WHERE ${ownedBy(tenant)} AND ${isLate(sql, sql`offset_ms`, range)}
    ORDER BY offset_ms DESC, id DESC LIMIT ${limit}`;

  if (scheduleId !== undefined || idempotencyKey !== undefined) {
    const of = all(sql, [
      scheduleId !== undefined && sql`schedule_id = ${scheduleId}::uuid`,
      idempotencyKey !== undefined && sql`idempotency_key = ${idempotencyKey}`,
    ]);
    const scanned = () => sql`
      SELECT schedule_id, ${ofRequest} AS passes FROM (
        SELECT * FROM schedule_requests WHERE ${ownedBy(tenant)} AND ${of} OFFSET 0) r`;
    return [source(false, { scanned, found: ofSchedules })];
  }
  if (q && isShort(q))
    return [{ ...source(false, { scanned: newest(false), found: withRequest }), rowsMax: SHORT_Q_ROWS }];
  return [
    source(true, { scanned: isByLateness ? latest : newest(true), found: withRequest }),
    late && measured && bySchedules(ofOffsets(late)),
    late && !measured && !isByLateness && source(false, { scanned: ofLateness(false), found: withRequest }),
    isByLateness &&
      (measured || wanted.code !== undefined) &&
      source(false, { scanned: newest(false), found: withRequest }),
    operationId !== undefined && bySchedules(requestsOf(sql`operation_id = ${operationId}::uuid`)),
    recurrence !== undefined &&
      bySchedules(
        (limit) => sql`
          SELECT schedule_id, ${ofRequest} AS passes FROM schedule_requests
          WHERE ${ownedBy(tenant)} AND ${isOfRecurrence(sql, tenant, recurrence)}
          ORDER BY occurrence_at DESC, schedule_id DESC LIMIT ${limit}`,
      ),
    host !== undefined && bySchedules(requestsOf(hasHost(sql, sql`target_url`, host))),
    q &&
      bySchedules(
        (limit) => sql`
          SELECT r.schedule_id, ${ofRequest} AS passes FROM (
            SELECT schedule_id FROM matched_requests(${tenant.accountId}, ${tenant.env}, ${substringPattern(q)}, ${limit}::integer)
            ${q.scheduleId ? sql`UNION SELECT ${q.scheduleId}::uuid` : sql``}) m
          JOIN schedule_requests r USING (schedule_id) WHERE ${ownedBy(tenant)}`,
      ),
  ].filter((one) => one !== false && one !== undefined);
}

const isEarlier = ({ atMs, id, attempt }: AttemptCursor) => {
  // The planner leaves out partitions by the first condition only.
  const at = sql`${new Date(atMs).toISOString()}::timestamptz`;
  return sql`attempted_at <= ${at} AND (attempted_at, schedule_id, attempt) < (${at}, ${id}::uuid, ${attempt}::integer)`;
};

const isLater = (after: AttemptCursor) =>
  sql`((late_ms IS NULL AND ${isBehindIn(after, true)}) OR (late_ms IS NOT NULL AND ${isBehindIn(after, false)}))`;

/** Whether rows with (or without, when `isNull`) lateness come after a cursor in the order of lateness. */
function isBehindIn({ atMs, id, attempt }: AttemptCursor, isNull: boolean): SQL {
  const lateMs = readCursorLateness(atMs);
  if (isNull) return lateMs === null ? sql`(schedule_id, attempt) < (${id}::uuid, ${attempt}::integer)` : sql`true`;
  if (lateMs === null) return sql`false`;
  return sql`(late_ms, schedule_id, attempt) < (${lateMs}::float8::real, ${id}::uuid, ${attempt}::integer)`;
}

// Whole milliseconds are rounded down. By the column itself, since its index does not know its floor.
const isWithin = ({ fromMs, toMs }: NonNullable<AttemptSearch["late"]>) =>
  all(sql, [fromMs !== null && sql`late_ms >= ${fromMs}::real`, toMs !== null && sql`late_ms < ${toMs + 1}::real`]);

// Every 2xx is a delivery, and no other status code is.
function possibleOutcomes({ outcome, code }: AttemptSearch): { isDelivered: boolean; isUndelivered: boolean } {
  const range = code === undefined ? undefined : parseCode(code);
  const isOfDelivered = range === undefined ? undefined : range !== null && range.from >= 200 && range.to < 300;
  return {
    isDelivered: outcome !== "failed" && isOfDelivered !== false,
    isUndelivered: outcome !== "succeeded" && isOfDelivered !== true,
  };
}
