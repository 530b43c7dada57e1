import { type SQL, sql } from "drizzle-orm";
import { parseCode } from "#domain/answer-code.ts";
import { isTerminal, type ScheduleStatus, STATUSES } from "#domain/states.ts";
import type { DbOrTx } from "../../orm.ts";
import { ownedBy } from "../accounts/owned-by.ts";
import type { Tenant } from "../accounts/tenant.ts";
import { cursorRow } from "../page.ts";
import { runPass } from "./passes.ts";
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
export const narrowSources = (db: DbOrTx, tenant: Tenant, wanted: WantedSchedules): Source<ScheduleKey>[] =>
  new ScheduleSources(db, tenant, wanted).all();

/** A part of a statement that reads at most `limit` rows. */
type Rows = (limit: number) => SQL;

class ScheduleSources {
  readonly #db: DbOrTx;
  readonly #tenant: Tenant;
  readonly #wanted: WantedSchedules;
  readonly #own: SQL;
  readonly #behind: SQL;
  readonly #statuses: ScheduleStatus[];
  /** What the row of the request, and that of the state, has to meet. */
  readonly #ofRequest: SQL;
  readonly #ofState: SQL;

  constructor(db: DbOrTx, tenant: Tenant, wanted: WantedSchedules) {
    this.#db = db;
    this.#tenant = tenant;
    this.#wanted = wanted;
    this.#own = ownedBy(tenant);
    this.#behind = wanted.after ? isBehind(wanted.sort, wanted.after) : sql`true`;
    this.#statuses = possibleStatuses(wanted);
    this.#ofRequest = isOfRequest(sql, tenant, wanted);
    this.#ofState = isOfState(sql, STATE, { ...wanted, statuses: this.#statuses });
  }

  all(): Source<ScheduleKey>[] {
    const { q, sort, late, idempotencyKey, recurrence } = this.#wanted;
    if (idempotencyKey !== undefined) return [this.#ofKey(idempotencyKey)];
    if (q && isShort(q)) return [{ ...this.#ofRequests(sql`true`, false), rowsMax: SHORT_Q_ROWS }];
    const lists = this.#lists();
    const inOrder = sort === "-created_at" ? (lists.shift() ?? this.#ofRequests(sql`true`)) : this.#inOrder(sort);
    const hasLegs = sort === "-created_at" || sort === "late";
    const isFailure = this.#wanted.code !== undefined && !this.#statuses.includes("succeeded");
    return [
      inOrder,
      ...lists,
      late && sort !== "late" && this.#source(false, this.#latest),
      isFailure && this.#source(false, this.#ofAnswer),
      hasLegs && isFiltered(this.#wanted) && this.#source(false, this.#legs(this.#statuses, sql`DESC`, false)),
      recurrence !== undefined && this.#ofRecurrence(recurrence),
      q && this.#byTarget(q),
    ].filter((one) => one !== false && one !== undefined);
  }

  /** Those of the first index that fits are in the order of the list, newest first. */
  #lists(): Source<ScheduleKey>[] {
    const { operationId, host } = this.#wanted;
    return [
      operationId !== undefined && this.#ofRequests(sql`operation_id = ${operationId}::uuid`),
      host !== undefined && this.#ofRequests(hasHost(sql, sql`target_url`, host)),
    ].filter((one) => one !== false);
  }

  #inOrder(sort: Exclude<WantedSchedules["sort"], "-created_at">): Source<ScheduleKey> {
    const all = this.#statuses;
    const scanned: Record<typeof sort, Rows> = {
      fire_at: this.#legs(all, sql`ASC`, true),
      "-fire_at": this.#legs(all, sql`DESC`, true),
      upcoming: this.#upcoming,
      late: this.#byLateness,
    };
    return this.#source(true, scanned[sort]);
  }

  #ofKey(idempotencyKey: string): Source<ScheduleKey> {
    const scanned = () => sql`
      SELECT schedule_id AS id, created_at, ${this.#ofRequest} AS passes FROM (
        SELECT * FROM schedule_requests WHERE ${this.#own} AND idempotency_key = ${idempotencyKey} OFFSET 0) r`;
    return this.#source(false, scanned, this.#withState);
  }

  #ofRequests(index: SQL, isInOrder = this.#wanted.sort === "-created_at"): Source<ScheduleKey> {
    const { after } = this.#wanted;
    const scanned = (limit: number) =>
      sql`
    SELECT schedule_id AS id, created_at, ${this.#ofRequest} AS passes FROM schedule_requests
    WHERE ${this.#own} AND ${index} AND ${wasCreatedBefore(this.#wanted)} AND ${isInOrder && after ? sql`(created_at, schedule_id) < ${cursorRow(after)}` : sql`true`}
    ORDER BY created_at DESC, schedule_id DESC LIMIT ${limit}`;
    return this.#source(isInOrder, scanned, this.#withState);
  }

  #ofRecurrence(recurrence: string): Source<ScheduleKey> {
    const scanned = (limit: number) => sql`
      SELECT schedule_id AS id, created_at, ${this.#ofRequest} AS passes FROM schedule_requests
      WHERE ${this.#own} AND ${isOfRecurrence(sql, this.#tenant, recurrence)} ORDER BY occurrence_at DESC, schedule_id DESC LIMIT ${limit}`;
    return this.#source(false, scanned, this.#withState);
  }

  #byTarget(q: NonNullable<WantedSchedules["q"]>): Source<ScheduleKey> {
    const scanned = (limit: number) => sql`
      SELECT m.schedule_id AS id, m.created_at, true AS passes
      FROM matched_requests(${this.#tenant.accountId}, ${this.#tenant.env}, ${substringPattern(q)}, ${limit}::integer) m
      ${q.scheduleId ? sql`UNION SELECT schedule_id, created_at, true FROM schedule_requests WHERE ${this.#own} AND schedule_id = ${q.scheduleId}` : sql``}`;
    return this.#source(false, scanned, (rows) => this.#withState(sql`(${this.#withRequest(rows)}) l`));
  }

  #source(isInOrder: boolean, scanned: Rows, found: (rows: SQL) => SQL = this.#withRequest): Source<ScheduleKey> {
    const { sort } = this.#wanted;
    const key = sql`json_build_array(id, ${KEYS[sort]}, ${sort === "late" ? sql`is_unsent::integer` : sql`0`})`;
    const order = { order: ORDERS[sort], key, behind: this.#behind };
    return {
      isInOrder,
      scan: (rowsMax, foundMax) =>
        runPass<ScheduleKey>(this.#db, this.#wanted, order, { scanned, found, rowsMax, foundMax, isInOrder }),
    };
  }

  readonly #withRequest = (rows: SQL): SQL =>
    // The host is in the row of the schedule too.
    looksAtRequest({ ...this.#wanted, host: undefined })
      ? sql`SELECT l.* FROM ${rows} CROSS JOIN LATERAL (
          SELECT FROM schedule_requests WHERE schedule_id = l.id AND ${this.#ofRequest} LIMIT 1) r WHERE l.passes`
      : sql`SELECT * FROM ${rows} WHERE passes`;

  readonly #withState = (rows: SQL): SQL =>
    isNarrowedByState(this.#wanted) || this.#wanted.sort !== "-created_at"
      ? sql`SELECT l.id, s.*, s.offset_ms IS NULL AS is_unsent FROM ${rows} CROSS JOIN LATERAL (
          SELECT ${COLUMNS} FROM schedules WHERE id = l.id AND ${this.#ofState} LIMIT 1) s WHERE l.passes`
      : sql`SELECT * FROM ${rows} WHERE passes`;

  /** The rows of each status by its index, merged. */
  #legs(of: readonly ScheduleStatus[], direction: SQL, isInOrder: boolean): Rows {
    const range = isDueIn(sql, this.#wanted);
    const by = sql`fire_at ${direction}, id ${direction}`;
    return (limit) => {
      const each = of.map((status) =>
        this.#rowsOf(
          sql`status = ${status} ${status === "firing" ? inShardOf(this.#tenant) : sql``} AND ${range} AND ${isInOrder ? this.#behind : sql`true`}`,
          by,
          limit,
        ),
      );
      const rows = each.length > 0 ? sql.join(each, sql` UNION ALL `) : NO_ROWS;
      return sql`SELECT *, offset_ms IS NULL AS is_unsent FROM (${rows}) legs ORDER BY ${by} LIMIT ${limit}`;
    };
  }

  readonly #upcoming: Rows = (limit) =>
    halves(
      this.#legs(
        this.#statuses.filter((status) => !isTerminal(status)),
        sql`ASC`,
        false,
      )(limit),
      this.#legs(this.#statuses.filter(isTerminal), sql`DESC`, false)(limit),
      limit,
    );

  readonly #ofAnswer: Rows = (limit) =>
    sql`SELECT *, offset_ms IS NULL AS is_unsent FROM ${this.#rowsOf(
      sql`${IS_FAILED_ANSWER} AND ${hasCode(sql, this.#wanted.code ?? "", sql`last_status_code`, sql`last_status_code IS NULL`)}`,
      sql`last_status_code DESC, fire_at DESC, id DESC`,
      limit,
    )} answered`;

  readonly #latest: Rows = (limit) => {
    const { late, sort, after } = this.#wanted;
    return sql`SELECT *, false AS is_unsent FROM ${this.#rowsOf(
      all(sql, [
        sql`offset_ms IS NOT NULL`,
        late && isLate(sql, sql`offset_ms`, late),
        sort === "late" && after && (after.attempt === 1 ? sql`false` : isLater(after)),
      ]),
      sql`offset_ms DESC, id DESC`,
      limit,
    )} late`;
  };

  readonly #unsent: Rows = (limit) => {
    const { after } = this.#wanted;
    return sql`
    SELECT l.id, s.*, true AS is_unsent FROM (
      SELECT schedule_id AS id, created_at AS at FROM schedule_requests
      WHERE ${this.#own} AND ${after?.attempt === 1 ? sql`(created_at, schedule_id) < ${cursorRow(after)}` : sql`true`}
      ORDER BY created_at DESC, schedule_id DESC) l
    CROSS JOIN LATERAL (
      SELECT ${COLUMNS}, offset_ms IS NULL AND ${this.#ofState} AS passes FROM schedules WHERE id = l.id LIMIT 1) s
    LIMIT ${limit}`;
  };

  readonly #byLateness: Rows = (limit) => {
    if (this.#statuses.every((status) => status === "scheduled")) return this.#unsent(limit);
    return this.#wanted.late ? this.#latest(limit) : halves(this.#latest(limit), this.#unsent(limit), limit);
  };

  #rowsOf(condition: SQL, by: SQL, limit: number): SQL {
    return sql`(
    SELECT id, ${COLUMNS}, ${this.#ofState} AS passes FROM schedules WHERE ${this.#own} AND ${condition} ORDER BY ${by} LIMIT ${limit})`;
  }
}

/** UNION ALL reads the second half after the first, and only up to the limit. */
const halves = (first: SQL, second: SQL, limit: number): SQL =>
  sql`SELECT * FROM ((${first}) UNION ALL (${second})) halves LIMIT ${limit}`;

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
