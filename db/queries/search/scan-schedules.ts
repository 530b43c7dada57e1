import { type SQL, sql } from "drizzle-orm";
import { isTerminal, type ScheduleStatus, STATUSES } from "#domain/states.ts";
import type { DbOrTx } from "../../orm.ts";
import { ownedBy } from "../accounts/owned-by.ts";
import type { Tenant } from "../accounts/tenant.ts";
import { cursorRow } from "../page.ts";
import { type PassStatement, runPass, type SearchPass } from "./passes.ts";
import { SHORT_Q_ROWS, substringPattern } from "./query.ts";
import { inShardOf, isFiltered, type ScheduleKey, type WantedSchedules } from "./schedule-search.ts";
import { isDueIn, isOfRequest } from "./search-filter.ts";

/** Whose schedules are searched for what. */
export type Scope = { db: DbOrTx; tenant: Tenant; wanted: WantedSchedules };

/** Scans the first `rowsMax` rows of the list, until `foundMax` of them match. */
export function scanFirst(scope: Scope, rowsMax: number, foundMax: number): Promise<SearchPass<ScheduleKey>> {
  const { wanted } = scope;
  const statement = isByFire(wanted)
    ? { scanned: byFire(scope), found: withTarget(scope) }
    : { scanned: newest(scope, isBehind(wanted, sql`(created_at, schedule_id)`)), found: ofCreation(wanted) };
  return scan(scope, { ...statement, rowsMax, foundMax, isInOrder: true });
}

/** Scans `rowsMax` rows that have the statuses and are in the range. With `q`, finds none if there are more. */
export function scanByStatus(scope: Scope, rowsMax: number): Promise<SearchPass<ScheduleKey>> {
  const { wanted } = scope;
  const isAllOrNone = wanted.q !== undefined;
  const statement = { scanned: byFire(scope), found: withTarget(scope), isInOrder: isByFire(wanted) };
  return scan(scope, { ...statement, rowsMax, isAllOrNone });
}

/**
 * Scans `rowsMax` rows whose target matches, which the index of targets finds. `isAllOrNone`: finds none if there are more.
 */
export function scanByTarget(
  scope: Scope,
  rowsMax: number,
  { isAllOrNone = false } = {},
): Promise<SearchPass<ScheduleKey>> {
  const { wanted } = scope;
  const found = isFiltered(wanted) || isByFire(wanted) ? ofStatus(wanted) : undefined;
  return scan(scope, { scanned: ofTarget(scope), rowsMax, found, isAllOrNone, isInOrder: false });
}

/** Scans the newest rows, whatever the order of the list. */
export function scanNewest(scope: Scope): Promise<SearchPass<ScheduleKey>> {
  const found = ofCreation(scope.wanted);
  return scan(scope, { scanned: newest(scope, sql`true`), rowsMax: SHORT_Q_ROWS, found, isInOrder: false });
}

/** Whether the order of a list is by `fire_at`. */
export const isByFire = ({ sort }: WantedSchedules): boolean => sort !== "-created_at";

const KEY = sql`json_build_array(id, extract(epoch FROM at) * 1000, 0)`;

function scan({ db, wanted }: Scope, statement: PassStatement): Promise<SearchPass<ScheduleKey>> {
  const behind = isBehind(wanted, sql`(at, id)`);
  return runPass<ScheduleKey>(db, wanted, { order: orderOf(wanted), key: KEY, behind }, statement);
}

function orderOf({ sort }: WantedSchedules): SQL {
  // For ended schedules both CASEs are null, so `at` and `id` decide.
  if (sort === "upcoming")
    return sql`is_ended, CASE WHEN NOT is_ended THEN at END, CASE WHEN NOT is_ended THEN id END, at DESC, id DESC`;
  return sort === "fire_at" ? sql`at ASC, id ASC` : sql`at DESC, id DESC`;
}

function isBehind({ after, sort }: WantedSchedules, columns: SQL): SQL {
  return after ? sql`${columns} ${sort === "fire_at" ? sql`>` : sql`<`} ${cursorRow(after)}` : sql`true`;
}

type Scanned = PassStatement["scanned"];

function newest({ tenant, wanted }: Scope, condition: SQL): Scanned {
  return (limit) => sql`
    SELECT schedule_id AS id, created_at AS at, ${isOfRequest(sql, tenant, { q: wanted.q })} AS matches FROM schedule_requests
    WHERE ${ownedBy(tenant)} AND ${condition} AND ${wasCreatedBefore(wanted)}
    ORDER BY created_at DESC, schedule_id DESC LIMIT ${limit}`;
}

/**
 * The condition that leaves out schedules that were created after the range: none is due before it was created. The minute
 * allows for clocks that step.
 */
export function wasCreatedBefore({ to }: WantedSchedules): SQL {
  return to ? sql`created_at < ${to.toISOString()}::timestamptz + interval '1 minute'` : sql`true`;
}

function byFire(scope: Scope): Scanned {
  const { sort, statuses = STATUSES } = scope.wanted;
  if (sort === "upcoming") return upcoming(scope, statuses);
  return ofStatuses(scope, statuses, sort === "fire_at" ? sql`ASC` : sql`DESC`);
}

/** Open schedules, and after them ended ones. */
function upcoming(scope: Scope, statuses: readonly ScheduleStatus[]): Scanned {
  const halves = [false, true]
    .map((isEnded) => ({ isEnded, of: statuses.filter((status) => isTerminal(status) === isEnded) }))
    .filter(({ of }) => of.length > 0);
  const half = (isEnded: boolean, rows: SQL) =>
    sql`(SELECT id, at, ${isEnded}::boolean AS is_ended FROM (${rows}) half)`;
  // UNION ALL reads ended schedules after open ones, and only up to the limit. An ORDER BY would read both first.
  return (limit) => {
    const each = halves.map(({ isEnded, of }) =>
      half(isEnded, ofStatuses(scope, of, isEnded ? sql`DESC` : sql`ASC`)(limit)),
    );
    return sql`SELECT * FROM (${sql.join(each, sql` UNION ALL `)}) halves LIMIT ${limit}`;
  };
}

function ofStatuses({ tenant, wanted }: Scope, statuses: readonly ScheduleStatus[], direction: SQL): Scanned {
  const at = isByFire(wanted) ? sql`fire_at` : sql`created_at`;
  const behind = isByFire(wanted) ? isBehind(wanted, sql`(fire_at, id)`) : sql`true`;
  return (limit) => {
    const inOrder = sql`ORDER BY fire_at ${direction}, id ${direction} LIMIT ${limit}`;
    // Each leg has the limit, because the planner does not merge the legs in order by itself.
    const legs = [...new Set(statuses)].map(
      (status) => sql`(
        SELECT id, ${at} AS at, fire_at FROM schedules
        WHERE ${ownedBy(tenant)} AND status = ${status} ${status === "firing" ? inShardOf(tenant) : sql``}
          AND ${isDueIn(sql, wanted)} AND ${behind} ${inOrder})`,
    );
    return sql`SELECT id, at FROM (${sql.join(legs, sql` UNION ALL `)}) legs ${inOrder}`;
  };
}

function ofTarget({ tenant, wanted: { q } }: Scope): Scanned {
  const pattern = q ? substringPattern(q) : "";
  const matched = (limit: number) => sql`SELECT schedule_id AS id, created_at AS at
    FROM matched_requests(${tenant.accountId}, ${tenant.env}, ${pattern}, ${limit}::integer)`;
  if (!q?.scheduleId) return matched;
  const named = sql`
    SELECT schedule_id, created_at FROM schedule_requests WHERE ${ownedBy(tenant)} AND schedule_id = ${q.scheduleId}`;
  return (limit) => sql`${matched(limit)} UNION ${named}`;
}

type Found = NonNullable<PassStatement["found"]>;

// Where a pass ends with enough rows, joins are lateral with a limit: one look-up by id for each row, and none for the rest.
function withTarget({ tenant, wanted: { q } }: Scope): Found | undefined {
  if (!q) return undefined;
  return (rows) => sql`
    SELECT l.* FROM ${rows} CROSS JOIN LATERAL (
      SELECT FROM schedule_requests WHERE schedule_id = l.id AND ${isOfRequest(sql, tenant, { q })} LIMIT 1) r`;
}

function ofCreation(wanted: WantedSchedules): Found {
  return (rows) => {
    const matching = sql`(SELECT id, at FROM ${rows} WHERE matches) l`;
    if (!isFiltered(wanted) && !isByFire(wanted)) return sql`SELECT * FROM ${matching}`;
    return sql`
      SELECT l.id, ${isByFire(wanted) ? sql`s.fire_at` : sql`l.at`} AS at, s.is_ended FROM ${matching} CROSS JOIN LATERAL (
        SELECT fire_at, ${IS_ENDED} FROM schedules WHERE id = l.id AND ${hasStatus(wanted)} LIMIT 1) s`;
  };
}

// For a pass that needs all of its rows: the ids of an array are looked up in one scan.
function ofStatus(wanted: WantedSchedules): Found {
  return (rows) => sql`
    SELECT id, ${isByFire(wanted) ? sql`fire_at` : sql`created_at`} AS at, ${IS_ENDED} FROM schedules
    WHERE id = ANY (ARRAY (SELECT id FROM ${rows})) AND ${hasStatus(wanted)}`;
}

const IS_ENDED = sql`status = ANY (${`{${STATUSES.filter(isTerminal)}}`}::text::text[]) AS is_ended`;

function hasStatus({ statuses, ...wanted }: WantedSchedules): SQL {
  return sql`status IN ${[...new Set(statuses ?? STATUSES)]} AND ${isDueIn(sql, wanted)}`;
}
