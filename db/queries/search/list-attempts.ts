import { type SQL, sql } from "drizzle-orm";
import type { ATTEMPT_CARRIERS } from "#domain/attempt-outcome.ts";
import { writeCursorLateness } from "#domain/cursor-lateness.ts";
import type { Db, DbOrTx } from "../../orm.ts";
import type { scheduleRequests } from "../../schema/schedules.ts";
import { ownedBy } from "../accounts/owned-by.ts";
import type { Tenant } from "../accounts/tenant.ts";
import type { Page, Total } from "../page.ts";
import { type AttemptCursor, type AttemptKey, type AttemptSearch, isNarrow } from "./attempt-search.ts";
import { narrowSources } from "./narrow-attempts.ts";
import {
  byIndexes,
  type Found,
  type PassStatement,
  passesForTarget,
  rowsEnough,
  rowsNeeded,
  runPass,
  type SearchPass,
} from "./passes.ts";
import { SHORT_Q_ROWS, substringPattern } from "./query.ts";
import { hasCode } from "./search-filter.ts";
import { searchSources } from "./search-sources.ts";
import { findKeys, findTotal, readPage, type SearchedList } from "./searched-list.ts";

export type LoggedAttempt = {
  /** UUID. */
  scheduleId: string;
  attempt: number;
  targetUrl: string;
  method: (typeof scheduleRequests.$inferSelect)["method"];
  statusCode: number | null;
  latencyMs: number;
  errorText: string;
  attemptedAt: Date;
  via: (typeof ATTEMPT_CARRIERS)[number] | null;
  lateMs: number | null;
};

export type AttemptPage = Page<LoggedAttempt, AttemptCursor>;

/**
 * One page of a tenant's attempts that are younger than `retentionDays`, newest first. Unfiltered, `total` is exact;
 * filtered, it is exact up to 10,000. A short `q` scans only the newest 10,000 rows, and `totalCapped` says when there
 * are more.
 */
export async function listAttempts(
  db: Db,
  tenant: Tenant,
  retentionDays: number,
  search: AttemptSearch,
): Promise<AttemptPage> {
  return byIndexes(db, async (tx, nowMs) => {
    const windowStart = new Date(nowMs - retentionDays * DAY_MS);
    const { keys, place, ...total } = isNarrow(search)
      ? await findNarrow(tx, tenant, windowStart, search)
      : await findKeys(openList(tx, tenant, windowStart, search));
    const page = await readPage({ keys, place }, search.limit, (of) => readRows(tx, tenant, of), cursorOf(search));
    return { ...page, ...total };
  });
}

/** How many attempts `listAttempts` finds, as its `total` and `totalCapped`, without a page. */
export async function countListedAttempts(
  db: Db,
  tenant: Tenant,
  retentionDays: number,
  search: Omit<AttemptSearch, "limit" | "offset" | "after">,
): Promise<Total> {
  return byIndexes(db, (tx, nowMs) => {
    const windowStart = new Date(nowMs - retentionDays * DAY_MS);
    const wanted = { ...search, limit: 0, offset: 0 };
    return isNarrow(wanted)
      ? countNarrow(tx, tenant, windowStart, wanted)
      : findTotal(openList(tx, tenant, windowStart, wanted));
  });
}

async function findNarrow(
  tx: DbOrTx,
  tenant: Tenant,
  windowStart: Date,
  search: AttemptSearch,
): Promise<Found<AttemptKey>> {
  const wantsTotal = search.after === undefined && isFilteredAtAll(search);
  const found = await searchSources(narrowSources(tx, tenant, windowStart, search), search, { wantsTotal });
  if (wantsTotal) return found;
  const first = { ...search, after: undefined, limit: 0, offset: 0 };
  return { ...found, ...(await countNarrow(tx, tenant, windowStart, first)) };
}

async function countNarrow(tx: DbOrTx, tenant: Tenant, windowStart: Date, search: AttemptSearch): Promise<Total> {
  if (!isFilteredAtAll(search)) return { total: await countAttempts(tx, tenant, windowStart), totalCapped: false };
  const { total, totalCapped } = await searchSources(narrowSources(tx, tenant, windowStart, search), search);
  return { total, totalCapped };
}

const isFilteredAtAll = (search: AttemptSearch) =>
  search.q !== undefined || isFiltered(search) || isNarrow({ ...search, sort: "-attempted_at" });

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Key = AttemptKey;

const cursorOf =
  ({ sort }: Pick<AttemptSearch, "sort">) =>
  ([id, attempt, atMs, lateMs]: Key): AttemptCursor => ({
    id,
    attempt,
    atMs: sort === "late" ? writeCursorLateness(lateMs) : atMs,
  });

function openList(db: DbOrTx, tenant: Tenant, windowStart: Date, wanted: AttemptSearch): SearchedList<Key> {
  const statements = createStatements(db, tenant, windowStart, wanted);
  const bounds = { list: 15_000, target: isBySums(wanted) ? SUMMED_ROWS : LOOKED_UP_ROWS };
  const passesUpTo = (enough: number, isInOrder = false) =>
    wanted.q
      ? passesForTarget(statements, wanted, { enough, isFiltered: isFiltered(wanted), bounds, isInOrder })
      : [() => statements.first(enough, enough)];
  return {
    ...statements,
    wanted,
    isFiltered: isFiltered(wanted),
    passes: () => passesUpTo(rowsEnough(wanted)),
    pagePasses: (isInOrder) => passesUpTo(rowsNeeded(wanted), isInOrder),
    countAll: () => countAttempts(db, tenant, windowStart),
    withoutPage: () => openList(db, tenant, windowStart, { ...wanted, after: undefined, limit: 0, offset: 0 }),
  };
}

/** Schedules whose attempts a pass counts by what each says about them, 5 to 10 µs each: more than are counted. */
const SUMMED_ROWS = 12_000;
/** Schedules whose attempts a pass looks up one by one, 40 to 60 µs each. */
const LOOKED_UP_ROWS = 1_500;

const isBySums = (wanted: AttemptSearch) => !wanted.q?.scheduleId && !isFiltered(wanted) && !wanted.after;

/** The statements of the search passes over a tenant's attempts. */
function createStatements(db: DbOrTx, tenant: Tenant, windowStart: Date, wanted: AttemptSearch) {
  const { q, after } = wanted;
  const inWindow = sql`attempted_at > ${windowStart.toISOString()}::timestamptz`;
  const own = sql`${ownedBy(tenant)} AND ${inWindow}`;
  const order = sql`attempted_at DESC, schedule_id DESC, attempt DESC`;
  const matching = conditions(wanted);
  // The planner leaves out partitions by the first condition only.
  const afterAt = after && sql`${new Date(after.atMs).toISOString()}::timestamptz`;
  const behind = after
    ? sql`attempted_at <= ${afterAt}
      AND (attempted_at, schedule_id, attempt) < (${afterAt}, ${after.id}::uuid, ${after.attempt}::integer)`
    : sql`true`;

  // Two legs, because each outcome has an index of its own. A leg that the filter rules out is not read.
  const newestFirst = (rows: SQL, filter: SQL) => (limit: number) => {
    const leg = (columns: SQL, isOfLeg: SQL) => sql`(
      SELECT schedule_id, attempt, attempted_at, is_delivered, status_code
      FROM (SELECT schedule_id, attempt, attempted_at, ${columns} FROM attempts WHERE ${rows} AND ${isOfLeg}) leg
      WHERE ${filter} ORDER BY ${order} LIMIT ${limit})`;
    const delivered = leg(sql`true AS is_delivered, NULL::smallint AS status_code`, sql`outcome = 'delivered'`);
    const undelivered = leg(sql`false AS is_delivered, status_code`, sql`outcome <> 'delivered'`);
    return sql`SELECT * FROM (${delivered} UNION ALL ${undelivered}) legs ORDER BY ${order} LIMIT ${limit}`;
  };
  const ofSchedule = (limit: number) => sql`
    SELECT schedule_id, attempt, attempted_at FROM (
      SELECT *, outcome = 'delivered' AS is_delivered FROM attempts WHERE schedule_id = ${wanted.scheduleId} AND ${own} AND ${behind}) a
    WHERE ${matching} ORDER BY ${order} LIMIT ${limit}`;
  // The ids of an array are looked up in one scan. IS TRUE makes the planner hash the result instead of joining it.
  const withTarget = (rows: SQL) => sql`
    SELECT * FROM ${rows} WHERE (schedule_id IN (
      SELECT schedule_id FROM schedule_requests WHERE schedule_id = ANY (ARRAY (SELECT schedule_id FROM ${rows}))
        AND (target_url ILIKE ${q ? substringPattern(q) : "%"} OR schedule_id = ${q?.scheduleId ?? null}::uuid))) IS TRUE`;
  // Without a condition on the outcome, only the primary key is read.
  const ofOutcome = isOfOutcome(wanted) ? sql`, outcome = 'delivered' AS is_delivered, status_code` : sql``;
  // The bounds leave one or two partitions for each schedule. OFFSET 0 keeps them in the subquery.
  const attemptsOf = (schedule: SQL) => sql`
    SELECT schedule_id, attempt, attempted_at ${ofOutcome} FROM attempts
    WHERE schedule_id = ${schedule}.id AND ${inWindow} AND ${behind}
      AND attempted_at BETWEEN ${schedule}.created_at - interval '1 hour' AND ${schedule}.last_attempt_at OFFSET 0`;
  const key = sql`json_build_array(schedule_id, attempt, extract(epoch FROM attempted_at) * 1000, NULL)`;
  const pass = (statement: PassStatement) => runPass<Key>(db, wanted, { order, key, behind }, statement);

  return {
    /** Scans the newest `rowsMax` attempts that pass the other filters, until `foundMax` of them match. */
    first: (rowsMax: number, foundMax: number): Promise<SearchPass<Key>> =>
      pass({
        scanned: wanted.scheduleId === undefined ? newestFirst(sql`${own} AND ${behind}`, matching) : ofSchedule,
        rowsMax,
        found: q && withTarget,
        foundMax,
        isInOrder: true,
      }),
    /** Scans the newest attempts, whatever the filters. */
    newest: (): Promise<SearchPass<Key>> =>
      pass({
        scanned: newestFirst(own, sql`true`),
        rowsMax: SHORT_Q_ROWS,
        found: (rows) => withTarget(sql`(SELECT * FROM ${rows} WHERE ${matching}) l`),
        isInOrder: false,
      }),
    /** Scans the attempts of `rowsMax` schedules whose target matches, which the index of targets finds. */
    byTarget: (rowsMax: number): Promise<SearchPass<Key>> => {
      const pattern = q ? substringPattern(q) : "";
      const matched = (limit: number) => sql`
        SELECT schedule_id FROM matched_requests(${tenant.accountId}, ${tenant.env}, ${pattern}, ${limit}::integer)`;
      if (isBySums(wanted)) return passOverSums(db, { matched, rowsMax, attemptsOf, order, key }, windowStart, wanted);
      const named = sql`SELECT schedule_id FROM schedule_requests
        WHERE schedule_id = ${q?.scheduleId} AND ${ownedBy(tenant)}`;
      const ofMatched = (rows: SQL) => sql`
        SELECT schedule_id, attempt, attempted_at FROM (
          SELECT a.* FROM ${rows} JOIN schedules s ON s.id = l.schedule_id CROSS JOIN LATERAL (${attemptsOf(sql`s`)}) a) a
        WHERE ${matching}`;
      return pass({
        scanned: (limit) => (q?.scheduleId ? sql`${matched(limit)} UNION ${named}` : matched(limit)),
        rowsMax,
        found: ofMatched,
        isInOrder: false,
      });
    },
  };
}

/**
 * A pass over the schedules that `matched` selects, which does not read the attempts of all of them. A schedule has the
 * number of its attempts and the instant of the last one, and the attempts of a page belong to the schedules that were
 * attempted last. Attempts are counted one by one only for schedules that may have some before the window.
 */
async function passOverSums(
  db: DbOrTx,
  list: {
    matched: (limit: number) => SQL;
    rowsMax: number;
    attemptsOf: (schedule: SQL) => SQL;
    order: SQL;
    key: SQL;
  },
  windowStart: Date,
  wanted: AttemptSearch,
): Promise<SearchPass<Key>> {
  const { matched, rowsMax, attemptsOf, order, key } = list;
  const start = sql`${windowStart.toISOString()}::timestamptz`;
  const [row] = await db.execute<{ n: number; whole: boolean; keys: Key[] }>(sql`
    WITH scanned AS MATERIALIZED (${matched(rowsMax + 1)}),
    ran AS MATERIALIZED (
      SELECT s.id, s.created_at, s.last_attempt_at,
        CASE WHEN s.created_at > ${start} + interval '1 hour' THEN s.attempts - (s.status = 'firing')::integer END AS n
      FROM (SELECT * FROM scanned LIMIT ${rowsMax}) l JOIN schedules s ON s.id = l.schedule_id
      WHERE s.last_attempt_at > ${start}),
    newest AS MATERIALIZED (SELECT * FROM ran ORDER BY last_attempt_at DESC, id DESC LIMIT ${rowsNeeded(wanted)}),
    page AS (
      SELECT a.* FROM newest r CROSS JOIN LATERAL (${attemptsOf(sql`r`)}) a
      ORDER BY ${order} OFFSET ${wanted.offset} LIMIT ${wanted.limit + 1})
    SELECT (coalesce((SELECT sum(n) FROM ran), 0) + (
        SELECT count(*) FROM (SELECT * FROM ran WHERE n IS NULL) r CROSS JOIN LATERAL (${attemptsOf(sql`r`)}) a))::integer AS n,
      (SELECT count(*) FROM scanned) <= ${rowsMax} AS whole,
      (SELECT coalesce(json_agg(${key} ORDER BY ${order}), '[]') FROM page) AS keys`);
  if (!row) throw new Error("the statement of a search pass returned no row");
  return { keys: row.keys, found: row.n, isWhole: row.whole, isInOrder: false };
}

const isFiltered = ({ outcome, code, scheduleId, from, to }: AttemptSearch) =>
  (outcome ?? code ?? scheduleId ?? from ?? to) !== undefined;

const isOfOutcome = ({ outcome, code }: AttemptSearch) => (outcome ?? code) !== undefined;

function conditions({ outcome, code, scheduleId, from, to }: AttemptSearch): SQL {
  const all = [
    outcome && (outcome === "succeeded" ? sql`is_delivered` : sql`NOT is_delivered`),
    code !== undefined && isOfCode(code),
    scheduleId && sql`schedule_id = ${scheduleId}`,
    from && sql`attempted_at >= ${from.toISOString()}::timestamptz`,
    to && sql`attempted_at < ${to.toISOString()}::timestamptz`,
  ].filter((condition) => condition !== undefined && condition !== false);
  return all.length === 0 ? sql`true` : sql.join(all, sql` AND `);
}

// Every 2xx is a delivery, and no other status code is.
function isOfCode(code: string): SQL {
  if (code === "2xx") return sql`is_delivered`;
  return sql`NOT is_delivered AND ${hasCode(sql, code, sql`status_code`, sql`status_code IS NULL`)}`;
}

// The hours that are wholly in the window were counted by recording. Attempts of the hour in which it begins are
// counted here.
async function countAttempts(db: DbOrTx, tenant: Tenant, windowStart: Date): Promise<number> {
  const own = ownedBy(tenant);
  const wholeHours = new Date((Math.floor(windowStart.getTime() / HOUR_MS) + 1) * HOUR_MS).toISOString();
  const ofFirstHour = sql`${own} AND attempted_at > ${windowStart.toISOString()}::timestamptz
    AND attempted_at < ${wholeHours}::timestamptz`;
  const [row] = await db.execute<{ n: number }>(sql`
    SELECT (
      coalesce((SELECT sum(n) FROM account_counts
        WHERE ${own} AND kind = 'outcome' AND hour >= ${wholeHours}::timestamptz), 0)
      + (SELECT count(*) FROM attempts WHERE ${ofFirstHour} AND outcome = 'delivered')
      + (SELECT count(*) FROM attempts WHERE ${ofFirstHour} AND outcome <> 'delivered'))::float8 AS n`);
  return row?.n ?? 0;
}

async function readRows(db: DbOrTx, { accountId }: Tenant, keys: readonly Key[]): Promise<LoggedAttempt[]> {
  if (keys.length === 0) return [];
  const wanted = keys.map(([id, attempt, at]) => ({ id, attempt, at }));
  const rows = await db.execute<Omit<LoggedAttempt, "attemptedAt"> & { at: number }>(sql`
    SELECT a.schedule_id AS "scheduleId", a.attempt, r.target_url AS "targetUrl", r.method, a.status_code AS "statusCode",
      a.latency_ms AS "latencyMs", a.error_text AS "errorText", a.via, a.late_ms::float8 AS "lateMs", extract(epoch FROM a.attempted_at)::float8 * 1000 AS at
    FROM ROWS FROM (json_to_recordset(${JSON.stringify(wanted)}::text::json) AS (id uuid, attempt integer, at float8))
      WITH ORDINALITY k(id, attempt, at, position)
    CROSS JOIN LATERAL (SELECT * FROM attempts WHERE schedule_id = k.id AND attempt = k.attempt
      AND attempted_at = to_timestamp(k.at / 1000)::timestamptz(3) AND account_id = ${accountId} LIMIT 1) a
    JOIN schedule_requests r ON r.schedule_id = a.schedule_id
    ORDER BY k.position`);
  return rows.map(({ at, ...row }) => ({ ...row, attemptedAt: new Date(Math.round(at)) }));
}
