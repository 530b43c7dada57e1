import { type SQL, sql } from "drizzle-orm";
import { parseCode } from "#domain/answer-code.ts";
import { readCursorLateness } from "#domain/cursor-lateness.ts";
import type { DbOrTx } from "../../orm.ts";
import { ownedBy } from "../accounts/owned-by.ts";
import type { Tenant } from "../accounts/tenant.ts";
import type { AttemptCursor, AttemptKey, AttemptSearch } from "./attempt-search.ts";
import { runPass } from "./passes.ts";
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
export const narrowSources = (
  db: DbOrTx,
  tenant: Tenant,
  windowStart: Date,
  wanted: AttemptSearch,
): Source<AttemptKey>[] => new AttemptSources(db, tenant, windowStart, wanted).all();

/** A part of a statement that reads at most `limit` rows. */
type Rows = (limit: number) => SQL;

const COLUMNS = sql`schedule_id, attempt, attempted_at, late_ms`;

class AttemptSources {
  readonly #db: DbOrTx;
  readonly #tenant: Tenant;
  readonly #wanted: AttemptSearch;
  readonly #isByLateness: boolean;
  /** The tenant's attempts within the window, and those behind the cursor. */
  readonly #own: SQL;
  readonly #behind: SQL;
  /** What the row of the request, and that of the attempt, has to meet. */
  readonly #ofRequest: SQL;
  readonly #ofAttempt: SQL;
  readonly #outcomes: { isDelivered: boolean; isUndelivered: boolean };
  readonly #ofLeg: (false | SQL | undefined)[];

  constructor(db: DbOrTx, tenant: Tenant, windowStart: Date, wanted: AttemptSearch) {
    const { after, code, late, measured } = wanted;
    this.#db = db;
    this.#tenant = tenant;
    this.#wanted = wanted;
    this.#isByLateness = wanted.sort === "late";
    this.#own = ownWithin(tenant, windowStart, wanted);
    this.#behind = after ? (this.#isByLateness ? isLater(after) : isEarlier(after)) : sql`true`;
    this.#ofRequest = isOfRequest(sql, tenant, wanted);
    this.#outcomes = possibleOutcomes(wanted);
    this.#ofLeg = [
      code !== undefined && hasCode(sql, code, sql`status_code`, sql`status_code IS NULL`),
      late && !measured && isLate(sql, sql`floor(late_ms)`, late),
    ];
    this.#ofAttempt = all(sql, [
      !this.#outcomes.isUndelivered && sql`outcome = 'delivered'`,
      !this.#outcomes.isDelivered && sql`outcome <> 'delivered'`,
      ...this.#ofLeg,
    ]);
  }

  all(): Source<AttemptKey>[] {
    const { q, scheduleId, idempotencyKey, operationId, recurrence, host, late, measured, code } = this.#wanted;
    if (scheduleId !== undefined || idempotencyKey !== undefined) return [this.#ofOne()];
    if (q && isShort(q)) return [{ ...this.#source(false, this.#newest(false)), rowsMax: SHORT_Q_ROWS }];
    const isNarrow = measured || code !== undefined;
    return [
      this.#source(true, this.#isByLateness ? this.#latest : this.#newest(true)),
      late && measured && this.#bySchedules(this.#ofOffsets(late)),
      late && !measured && !this.#isByLateness && this.#source(false, this.#ofLateness(false)),
      this.#isByLateness && isNarrow && this.#source(false, this.#newest(false)),
      operationId !== undefined && this.#bySchedules(this.#requestsOf(sql`operation_id = ${operationId}::uuid`)),
      recurrence !== undefined && this.#bySchedules(this.#ofRecurrence(recurrence)),
      host !== undefined && this.#bySchedules(this.#requestsOf(hasHost(sql, sql`target_url`, host))),
      q && this.#bySchedules(this.#byTarget(q)),
    ].filter((one) => one !== false && one !== undefined);
  }

  #source(isInOrder: boolean, scanned: Rows, found: (rows: SQL) => SQL = this.#withRequest): Source<AttemptKey> {
    const order = this.#isByLateness
      ? sql`late_ms DESC NULLS LAST, schedule_id DESC, attempt DESC`
      : sql`attempted_at DESC, schedule_id DESC, attempt DESC`;
    const key = sql`json_build_array(schedule_id, attempt, extract(epoch FROM attempted_at) * 1000, late_ms::float8)`;
    return {
      isInOrder,
      scan: (rowsMax, foundMax) =>
        runPass<AttemptKey>(
          this.#db,
          this.#wanted,
          { order, key, behind: this.#behind },
          { scanned, found, rowsMax, foundMax, isInOrder },
        ),
    };
  }

  #bySchedules(scanned: Rows): Source<AttemptKey> {
    return { ...this.#source(false, scanned, this.#ofSchedules), cost: COST_OF_SCHEDULE };
  }

  /** The attempts of one schedule at most. */
  #ofOne(): Source<AttemptKey> {
    const { scheduleId, idempotencyKey } = this.#wanted;
    const of = all(sql, [
      scheduleId !== undefined && sql`schedule_id = ${scheduleId}::uuid`,
      idempotencyKey !== undefined && sql`idempotency_key = ${idempotencyKey}`,
    ]);
    const scanned = () => sql`
      SELECT schedule_id, ${this.#ofRequest} AS passes FROM (
        SELECT * FROM schedule_requests WHERE ${ownedBy(this.#tenant)} AND ${of} OFFSET 0) r`;
    return this.#source(false, scanned, this.#ofSchedules);
  }

  readonly #withRequest = (rows: SQL): SQL => {
    const { measured } = this.#wanted;
    const request = sql`CROSS JOIN LATERAL (
      SELECT FROM schedule_requests WHERE schedule_id = l.schedule_id AND ${this.#ofRequest} LIMIT 1) r`;
    const schedule = sql`CROSS JOIN LATERAL (
      SELECT FROM schedules WHERE id = l.schedule_id AND ${this.#isMeasured(sql`l.attempted_at`)} LIMIT 1) s`;
    return sql`SELECT l.* FROM ${rows} ${looksAtRequest(this.#wanted) ? request : sql``} ${measured ? schedule : sql``} WHERE l.passes`;
  };

  // The bounds leave one or two partitions for each schedule. OFFSET 0 keeps them in the subquery.
  readonly #ofSchedules = (rows: SQL): SQL => sql`
    SELECT a.* FROM ${rows} JOIN schedules s ON s.id = l.schedule_id CROSS JOIN LATERAL (
      SELECT ${COLUMNS}, ${this.#ofAttempt} AS passes FROM attempts
      WHERE schedule_id = s.id AND ${this.#own} AND attempted_at BETWEEN s.created_at - interval '1 hour' AND s.last_attempt_at OFFSET 0) a
    WHERE l.passes AND a.passes AND ${this.#isMeasured(sql`a.attempted_at`)}`;

  #isMeasured(attemptedAt: SQL): SQL {
    const { measured, late } = this.#wanted;
    return all(sql, [
      measured && sql`fired_at = ${attemptedAt} AND (fire_at = created_at OR fire_at <= moved_to_now_at) IS NOT TRUE`,
      measured && late && isLate(sql, sql`offset_ms`, late),
    ]);
  }

  /** Two legs, because each outcome has an index of its own. */
  #newest(isInOrder: boolean): Rows {
    const { isDelivered, isUndelivered } = this.#outcomes;
    // Only what the indexes of outcomes have, where that suffices: the status code of undelivered attempts.
    const columns =
      this.#isByLateness || this.#wanted.late
        ? COLUMNS
        : sql`schedule_id, attempt, attempted_at, NULL::real AS late_ms`;
    return (limit) => {
      const legs = [isDelivered && sql`outcome = 'delivered'`, isUndelivered && sql`outcome <> 'delivered'`]
        .filter((leg) => leg !== false)
        .map(
          (leg) => sql`(SELECT ${columns}, ${all(sql, this.#ofLeg)} AS passes FROM attempts
          WHERE ${this.#own} AND ${isInOrder ? this.#behind : sql`true`} AND ${leg}
          ORDER BY attempted_at DESC, schedule_id DESC, attempt DESC LIMIT ${limit})`,
        );
      const rows =
        legs.length > 0
          ? sql.join(legs, sql` UNION ALL `)
          : sql`SELECT ${columns}, false AS passes FROM attempts WHERE false`;
      return sql`SELECT * FROM (${rows}) legs ORDER BY attempted_at DESC, schedule_id DESC, attempt DESC LIMIT ${limit}`;
    };
  }

  #ofLateness(isNull: boolean): Rows {
    const { late, measured, after } = this.#wanted;
    return (limit) =>
      sql`
    SELECT ${COLUMNS}, ${this.#ofAttempt} AS passes FROM attempts
    WHERE ${this.#own} AND late_ms IS ${isNull ? sql`NULL` : sql`NOT NULL`} ${late && !measured && !isNull ? sql`AND ${isWithin(late)}` : sql``}
      AND ${this.#isByLateness && after ? isBehindIn(after, isNull) : sql`true`}
    ORDER BY late_ms DESC, schedule_id DESC, attempt DESC LIMIT ${limit}`;
  }

  /** UNION ALL reads the attempts without lateness after the others, and only up to the limit. */
  readonly #latest: Rows = (limit) => {
    const { late, measured } = this.#wanted;
    return (late ?? measured)
      ? this.#ofLateness(false)(limit)
      : sql`SELECT * FROM ((${this.#ofLateness(false)(limit)}) UNION ALL (${this.#ofLateness(true)(limit)})) halves LIMIT ${limit}`;
  };

  #requestsOf(index: SQL): Rows {
    return (limit) =>
      sql`
    SELECT schedule_id, ${this.#ofRequest} AS passes FROM schedule_requests WHERE ${ownedBy(this.#tenant)} AND ${index}
    ORDER BY created_at DESC, schedule_id DESC LIMIT ${limit}`;
  }

  #ofOffsets(range: NonNullable<AttemptSearch["late"]>): Rows {
    return (limit) =>
      sql`
    SELECT id AS schedule_id, true AS passes FROM schedules WHERE ${ownedBy(this.#tenant)} AND ${isLate(sql, sql`offset_ms`, range)}
    ORDER BY offset_ms DESC, id DESC LIMIT ${limit}`;
  }

  #ofRecurrence(recurrence: string): Rows {
    return (limit) => sql`
          SELECT schedule_id, ${this.#ofRequest} AS passes FROM schedule_requests
          WHERE ${ownedBy(this.#tenant)} AND ${isOfRecurrence(sql, this.#tenant, recurrence)}
          ORDER BY occurrence_at DESC, schedule_id DESC LIMIT ${limit}`;
  }

  #byTarget(q: NonNullable<AttemptSearch["q"]>): Rows {
    const { accountId, env } = this.#tenant;
    return (limit) => sql`
          SELECT r.schedule_id, ${this.#ofRequest} AS passes FROM (
            SELECT schedule_id FROM matched_requests(${accountId}, ${env}, ${substringPattern(q)}, ${limit}::integer)
            ${q.scheduleId ? sql`UNION SELECT ${q.scheduleId}::uuid` : sql``}) m
          JOIN schedule_requests r USING (schedule_id) WHERE ${ownedBy(this.#tenant)}`;
  }
}

/** The tenant's attempts within what its plan keeps, and the range that is wanted. */
function ownWithin(tenant: Tenant, windowStart: Date, { from, to }: AttemptSearch): SQL {
  const start = from && from > windowStart ? from : windowStart;
  return all(sql, [
    ownedBy(tenant),
    start === from
      ? sql`attempted_at >= ${start.toISOString()}::timestamptz`
      : sql`attempted_at > ${start.toISOString()}::timestamptz`,
    to && sql`attempted_at < ${to.toISOString()}::timestamptz`,
  ]);
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
