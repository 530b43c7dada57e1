import { eq, inArray, type SQL, sql } from "drizzle-orm";
import { isTerminal, type ScheduleStatus, STATUSES } from "#domain/states.ts";
import type { Db, DbOrTx } from "../../orm.ts";
import { scheduleRequests, schedules } from "../../schema/schedules.ts";
import { ownedBy } from "../accounts/owned-by.ts";
import type { Tenant } from "../accounts/tenant.ts";
import { cursorRow, type Page, type Total } from "../page.ts";
import { type ScheduleRow, scheduleColumns } from "../schedules/find.ts";
import { narrowSources } from "./narrow-schedules.ts";
import {
  byIndexes,
  COUNTED_MAX,
  type Found,
  limited,
  type Passes,
  type PassStatement,
  passesForTarget,
  rowsEnough,
  rowsNeeded,
  runPass,
  type SearchPass,
  SHORT_Q_ROWS,
  substringPattern,
} from "./passes.ts";
import {
  inShardOf,
  isNarrow,
  type PageSearch,
  type ScheduleCursor,
  type ScheduleKey,
  type ScheduleSearch,
  type WantedSchedules,
  within,
} from "./schedule-search.ts";
import { isOfRequest } from "./search-filter.ts";
import { searchSources } from "./search-sources.ts";
import { findKeys, findPageKeys, findTotal, readPage, type SearchedList } from "./searched-list.ts";

export type SchedulePage = Page<ScheduleRow, ScheduleCursor>;

/**
 * One page of a tenant's schedules. Unfiltered, `total` is exact; filtered, it is exact up to 10,000. A `q` under three
 * characters scans only the newest 10,000 rows, and `totalCapped` says when there are more.
 */
export async function listSchedules(db: Db, tenant: Tenant, search: ScheduleSearch): Promise<SchedulePage> {
  return byIndexes(db, async (tx) => {
    const { keys, place, ...total } = isNarrow(search)
      ? await findNarrow(tx, tenant, search)
      : await findKeys(openList(tx, tenant, search));
    return { ...(await readSchedules(tx, { keys, place }, search)), ...total };
  });
}

/** A page as `listSchedules` finds it, without the total, which may take most of the time. */
export async function listPage(
  db: Db,
  tenant: Tenant,
  search: PageSearch,
): Promise<Pick<SchedulePage, "rows" | "hasMore" | "isBounded">> {
  return byIndexes(db, async (tx) => {
    const found = isNarrow(search)
      ? await searchSources(narrowSources(tx, tenant, search), search, { wantsTotal: false })
      : await findPageKeys(openList(tx, tenant, search));
    const { last: _last, ...page } = await readSchedules(tx, found, search);
    return page;
  });
}

/** How many schedules `listSchedules` finds, as its `total` and `totalCapped`, without a page. */
export async function countListed(
  db: Db,
  tenant: Tenant,
  search: Omit<ScheduleSearch, "limit" | "offset" | "after">,
): Promise<Total> {
  const wanted = { ...search, limit: 0, offset: 0 };
  return byIndexes(db, (tx) =>
    isNarrow(wanted) ? countNarrow(tx, tenant, wanted) : findTotal(openList(tx, tenant, wanted)),
  );
}

async function findNarrow(tx: DbOrTx, tenant: Tenant, search: WantedSchedules): Promise<Found<ScheduleKey>> {
  const first = { ...search, after: undefined, limit: 0, offset: 0 };
  const wantsTotal = search.after === undefined && isFilteredAtAll(search);
  const found = await searchSources(narrowSources(tx, tenant, search), search, { wantsTotal });
  return wantsTotal ? found : { ...found, ...(await countNarrow(tx, tenant, first)) };
}

async function countNarrow(tx: DbOrTx, tenant: Tenant, search: WantedSchedules): Promise<Total> {
  if (!isFilteredAtAll(search)) return { total: await countSchedules(tx, tenant), totalCapped: false };
  const { total, totalCapped } = await searchSources(narrowSources(tx, tenant, search), search);
  return { total, totalCapped };
}

const isFilteredAtAll = (search: WantedSchedules) =>
  search.q !== undefined || isFiltered(search) || isNarrow({ ...search, sort: "-created_at" });

/** How many schedules there are; with `isCapped` more than that. */
export type StatusCount = { count: number; isCapped: boolean };

/**
 * The number of schedules by status in a range of `fire_at`, each counted up to 10,000, and their total, which is exact
 * without a range.
 */
export async function countByStatus(
  db: Db,
  tenant: Tenant,
  range: Pick<ScheduleSearch, "from" | "to">,
): Promise<{ all: StatusCount; byStatus: Record<ScheduleStatus, StatusCount> }> {
  return byIndexes(db, async (tx) => {
    const legs = STATUSES.map(
      (status) => sql`SELECT ${status} AS status, count(*)::integer AS n FROM (
        SELECT FROM schedules WHERE ${ownedBy(tenant)} AND status = ${status}
          ${status === "firing" ? inShardOf(tenant) : sql``} ${within(range)} LIMIT ${COUNTED_MAX + 1}) l`,
    );
    const rows = await tx.execute<{ status: ScheduleStatus; n: number }>(sql.join(legs, sql` UNION ALL `));
    const countOf = (n: number): StatusCount => ({ count: Math.min(n, COUNTED_MAX), isCapped: n > COUNTED_MAX });
    const byStatus = Object.fromEntries(rows.map(({ status, n }) => [status, countOf(n)]));
    const counts = Object.values(byStatus);
    const all = isFiltered({ ...range } as ScheduleSearch)
      ? { count: counts.reduce((sum, { count }) => sum + count, 0), isCapped: counts.some(({ isCapped }) => isCapped) }
      : { count: await countSchedules(tx, tenant), isCapped: false };
    return { all, byStatus: byStatus as Record<ScheduleStatus, StatusCount> };
  });
}

type Key = ScheduleKey;
type Wanted = WantedSchedules;

function openList(db: DbOrTx, tenant: Tenant, wanted: Wanted): SearchedList<Key> {
  const statements = createStatements(db, tenant, wanted);
  return {
    ...statements,
    wanted,
    isFiltered: isFiltered(wanted),
    passes: () => passesFor(statements, wanted),
    pagePasses: () => passesForPage(statements, wanted),
    countAll: () => countSchedules(db, tenant),
    withoutPage: () => openList(db, tenant, { ...wanted, after: undefined, limit: 0, offset: 0 }),
  };
}

type Statements = ReturnType<typeof createStatements>;

function passesFor(list: Statements, wanted: Wanted): Passes<Key> {
  const { q } = wanted;
  const enough = rowsEnough(wanted);
  const filtered = isFiltered(wanted);
  const byStatus = filtered ? [() => list.byStatus(enough)] : [];
  // For a total without other filters, no more matches are needed than are counted.
  const sparseRows = wanted.limit === 0 && !filtered ? enough : undefined;
  if (q) return [...byStatus, ...passesForTarget(list, wanted, { enough, isFiltered: filtered, sparseRows })];
  return [...byStatus, () => list.first(FIRST_PASS_ROWS, rowsNeeded(wanted)), () => list.byStatus(null)];
}

function passesForPage(list: Statements, wanted: Wanted): Passes<Key> {
  const needed = rowsNeeded(wanted);
  // In order of `fire_at` the first rows of the list are those that `byStatus` would scan.
  const isByFire = wanted.sort !== "-created_at";
  const byStatus = isFiltered(wanted) && !isByFire ? [() => list.byStatus(STATUS_PASS_ROWS)] : [];
  if (wanted.q) {
    const byTarget = (rowsMax: number | null) => list.byTarget(rowsMax, { isAllOrNone: true });
    const sparseRows = wanted.after ? undefined : SPARSE_TARGET_ROWS;
    const options = { enough: needed, isFiltered: isFiltered(wanted), sparseRows };
    return [...byStatus, ...passesForTarget({ ...list, byTarget }, wanted, options)];
  }
  if (!isFiltered(wanted) || isByFire) return [() => list.first(needed, needed)];
  const first = (rowsMax: number) => () => list.first(rowsMax, needed);
  return [first(STATUS_PASS_ROWS), ...byStatus, first(FIRST_PASS_ROWS), () => list.byStatus(null)];
}

/** The most rows with the statuses and in the range that are all scanned for a page. */
const STATUS_PASS_ROWS = 2_000;

/**
 * The most rows with a matching target that are all looked up for a page, when almost none is among the first rows of the
 * list. It takes 0.2 s. To scan as many rows of the list and look up their targets would take 0.3 s.
 */
const SPARSE_TARGET_ROWS = 100_000;

/** The rows scanned for a page when more than 10,000 have the statuses and are in the range. */
const FIRST_PASS_ROWS = 20_000;

/**
 * The statements of the search passes over a tenant's schedules. Where a pass ends with enough rows, joins are lateral with a
 * limit: one look-up by id for each row, and none for the rest.
 */
function createStatements(db: DbOrTx, tenant: Tenant, wanted: Wanted) {
  const { q, sort, after } = wanted;
  const isByFire = sort !== "-created_at";
  const isUpcoming = sort === "upcoming";
  const direction = sort === "fire_at" ? sql`ASC` : sql`DESC`;
  const own = ownedBy(tenant);
  const range = within(wanted);
  const inShard = inShardOf(tenant);
  const statuses = [...new Set(wanted.statuses ?? STATUSES)];
  const matches = isOfRequest({ q });

  // No schedule is due before it was created, so those created after the range are skipped. The minute allows for
  // clocks that step.
  const created = wanted.to
    ? sql`AND created_at < ${wanted.to.toISOString()}::timestamptz + interval '1 minute'`
    : sql``;
  const cursor = after && cursorRow(after);
  const behind = (columns: SQL) =>
    cursor ? sql`${columns} ${sort === "fire_at" ? sql`>` : sql`<`} ${cursor}` : sql`true`;
  const newestOf = (rows: SQL) => (limit: number | null) =>
    sql`
    SELECT schedule_id AS id, created_at AS at, ${matches} AS matches FROM schedule_requests WHERE ${rows} ${created}
    ORDER BY created_at DESC, schedule_id DESC ${limited(limit)}`;
  const byCreation = newestOf(sql`${own} AND ${behind(sql`(created_at, schedule_id)`)}`);
  // Each leg has the limit, because the planner does not merge the legs in order by itself.
  const inOrderOf = (statuses: readonly ScheduleStatus[], direction: SQL) => (limit: number | null) => {
    const inOrder = sql`ORDER BY fire_at ${direction}, id ${direction} ${limited(limit)}`;
    const legs = statuses.map(
      (status) => sql`(
        SELECT id, ${isByFire ? sql`fire_at` : sql`created_at`} AS at, fire_at FROM schedules
        WHERE ${own} AND status = ${status} ${status === "firing" ? inShard : sql``} ${range}
          AND ${isByFire ? behind(sql`(fire_at, id)`) : sql`true`} ${inOrder})`,
    );
    return sql`SELECT id, at FROM (${sql.join(legs, sql` UNION ALL `)}) legs ${inOrder}`;
  };
  // UNION ALL reads ended schedules after open ones, and only up to the limit. An ORDER BY would read both first.
  const upcoming = (limit: number | null) => {
    const halves = [false, true]
      .map((isEnded) => {
        const ofHalf = statuses.filter((status) => isTerminal(status) === isEnded);
        if (ofHalf.length === 0) return undefined;
        const rows = inOrderOf(ofHalf, isEnded ? sql`DESC` : sql`ASC`)(limit);
        return sql`(SELECT id, at, ${isEnded}::boolean AS is_ended FROM (${rows}) half)`;
      })
      .filter((half) => half !== undefined);
    return sql`SELECT * FROM (${sql.join(halves, sql` UNION ALL `)}) halves ${limited(limit)}`;
  };
  const byFire = isUpcoming ? upcoming : inOrderOf(statuses, direction);
  const withTarget = (rows: SQL) => sql`
    SELECT l.* FROM ${rows} CROSS JOIN LATERAL (
      SELECT FROM schedule_requests WHERE schedule_id = l.id AND ${matches} LIMIT 1) r`;
  const endedColumn = sql`status = ANY (${`{${STATUSES.filter(isTerminal)}}`}::text::text[]) AS is_ended`;
  const withStatus = (rows: SQL) => sql`
    SELECT l.id, ${isByFire ? sql`s.fire_at` : sql`l.at`} AS at, s.is_ended FROM ${rows} CROSS JOIN LATERAL (
      SELECT fire_at, ${endedColumn} FROM schedules WHERE id = l.id AND status IN ${statuses} ${range} LIMIT 1) s`;
  // For a pass that needs all of its rows: the ids of an array are looked up in one scan.
  const ofStatus = (rows: SQL) => sql`
    SELECT id, ${isByFire ? sql`fire_at` : sql`created_at`} AS at, ${endedColumn} FROM schedules
    WHERE id = ANY (ARRAY (SELECT id FROM ${rows})) AND status IN ${statuses} ${range}`;
  const ofCreation = (rows: SQL) => {
    const matching = sql`(SELECT id, at FROM ${rows} WHERE matches) l`;
    return isFiltered(wanted) || isByFire ? withStatus(matching) : sql`SELECT * FROM ${matching}`;
  };
  // For ended schedules both CASEs are null, so `at` and `id` decide.
  const order = isUpcoming
    ? sql`is_ended, CASE WHEN NOT is_ended THEN at END, CASE WHEN NOT is_ended THEN id END, at DESC, id DESC`
    : sql`at ${direction}, id ${direction}`;
  const key = sql`json_build_array(id, extract(epoch FROM at) * 1000, 0)`;
  const pass = (statement: PassStatement) =>
    runPass<Key>(db, wanted, { order, key, behind: behind(sql`(at, id)`) }, statement);

  return {
    /** Scans the first `rowsMax` rows of the list, until `foundMax` of them match. */
    first: (rowsMax: number, foundMax: number): Promise<SearchPass<Key>> =>
      isByFire
        ? pass({ scanned: byFire, rowsMax, found: q && withTarget, foundMax, isInOrder: true })
        : pass({ scanned: byCreation, rowsMax, found: ofCreation, foundMax, isInOrder: true }),
    /**
     * Scans `rowsMax` rows (null: all) that have the statuses and are in the range. With `q`, finds none if there are
     * more.
     */
    byStatus: (rowsMax: number | null): Promise<SearchPass<Key>> =>
      pass({ scanned: byFire, rowsMax, found: q && withTarget, isAllOrNone: q !== undefined, isInOrder: isByFire }),
    /**
     * Scans `rowsMax` rows (null: all) whose target matches, which the index of targets finds. `isAllOrNone`:
     * finds none if there are more.
     */
    byTarget: (rowsMax: number | null, { isAllOrNone = false } = {}): Promise<SearchPass<Key>> => {
      const pattern = q ? substringPattern(q) : "";
      const matched = (limit: number | null) => sql`SELECT schedule_id AS id, created_at AS at
        FROM matched_requests(${tenant.accountId}, ${tenant.env}, ${pattern}, ${limit}::integer)`;
      const named = sql`SELECT schedule_id, created_at FROM schedule_requests WHERE ${own} AND schedule_id = ${q?.scheduleId}`;
      return pass({
        scanned: (limit) => (q?.scheduleId ? sql`${matched(limit)} UNION ${named}` : matched(limit)),
        rowsMax,
        found: isFiltered(wanted) || isByFire ? ofStatus : undefined,
        isAllOrNone,
        isInOrder: false,
      });
    },
    /** Scans the newest rows, whatever the order of the list. */
    newest: (): Promise<SearchPass<Key>> =>
      pass({ scanned: newestOf(own), rowsMax: SHORT_Q_ROWS, found: ofCreation, isInOrder: false }),
  };
}

const isFiltered = ({ statuses, from, to }: Pick<ScheduleSearch, "statuses" | "from" | "to">) =>
  (statuses ?? from ?? to) !== undefined;

// The quota counts created schedules, and a trigger deleted ones, so no row of a schedule is read.
async function countSchedules(db: DbOrTx, tenant: Tenant): Promise<number> {
  const own = ownedBy(tenant);
  // The month's row by itself: its former parts may be kept by a held snapshot.
  const month = sql`to_char(clock_timestamp() AT TIME ZONE 'utc', 'YYYYMM')`;
  const [row] = await db.execute<{ n: number }>(sql`
    SELECT (coalesce((SELECT sum(scheduled) FROM usage WHERE ${own} AND period <> month.period), 0)
      + coalesce((SELECT scheduled FROM usage WHERE ${own} AND period = month.period ORDER BY part DESC LIMIT 1), 0)
      - coalesce((SELECT n FROM deleted_schedules WHERE ${own}), 0))::float8 AS n
    FROM ${month} month(period)`);
  return row?.n ?? 0;
}

function readSchedules(db: DbOrTx, found: Pick<Found<Key>, "keys" | "place">, { limit }: PageSearch) {
  const ids = (of: Key[]) => of.map(([id]) => id);
  return readPage(
    found,
    limit,
    (of) => readRows(db, ids(of)),
    ([id, atMs, attempt]): ScheduleCursor => ({ id, atMs, attempt }),
  );
}

async function readRows(db: DbOrTx, ids: readonly string[]): Promise<ScheduleRow[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .select(scheduleColumns)
    .from(schedules)
    .innerJoin(scheduleRequests, eq(scheduleRequests.scheduleId, schedules.id))
    .where(inArray(schedules.id, [...ids]));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
