import { eq, inArray, sql } from "drizzle-orm";
import { type ScheduleStatus, STATUSES } from "#domain/states.ts";
import type { Db, DbOrTx } from "../../orm.ts";
import { scheduleRequests, schedules } from "../../schema/schedules.ts";
import { ownedBy } from "../accounts/owned-by.ts";
import type { Tenant } from "../accounts/tenant.ts";
import type { Page, Total } from "../page.ts";
import { type ScheduleRow, scheduleColumns } from "../schedules/find.ts";
import { narrowSources } from "./narrow-schedules.ts";
import {
  byIndexes,
  COUNTED_MAX,
  type Found,
  type Passes,
  passesForTarget,
  rowsEnough,
  rowsNeeded,
  type TargetBounds,
} from "./passes.ts";
import { isByFire, type Scope, scanByStatus, scanByTarget, scanFirst, scanNewest } from "./scan-schedules.ts";
import {
  inShardOf,
  isFiltered,
  isNarrow,
  type PageSearch,
  type ScheduleCursor,
  type ScheduleKey,
  type ScheduleSearch,
  type WantedSchedules,
} from "./schedule-search.ts";
import { isDueIn } from "./search-filter.ts";
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
          ${status === "firing" ? inShardOf(tenant) : sql``} AND ${isDueIn(sql, range)} LIMIT ${COUNTED_MAX + 1}) l`,
    );
    const rows = await tx.execute<{ status: ScheduleStatus; n: number }>(sql.join(legs, sql` UNION ALL `));
    const countOf = (n: number): StatusCount => ({ count: Math.min(n, COUNTED_MAX), isCapped: n > COUNTED_MAX });
    const byStatus = Object.fromEntries(rows.map(({ status, n }) => [status, countOf(n)]));
    const counts = Object.values(byStatus);
    const all = isFiltered(range)
      ? { count: counts.reduce((sum, { count }) => sum + count, 0), isCapped: counts.some(({ isCapped }) => isCapped) }
      : { count: await countSchedules(tx, tenant), isCapped: false };
    return { all, byStatus: byStatus as Record<ScheduleStatus, StatusCount> };
  });
}

function openList(db: DbOrTx, tenant: Tenant, wanted: WantedSchedules): SearchedList<ScheduleKey> {
  const scope = { db, tenant, wanted };
  return {
    ...scansOf(scope),
    wanted,
    isFiltered: isFiltered(wanted),
    newest: () => scanNewest(scope),
    passes: () => passesFor(scope),
    pagePasses: (isInOrder) => passesForPage(scope, isInOrder),
    countAll: () => countSchedules(db, tenant),
    withoutPage: () => openList(db, tenant, { ...wanted, after: undefined, limit: 0, offset: 0 }),
  };
}

const scansOf = (scope: Scope, ofTarget?: { isAllOrNone: boolean }) => ({
  first: (rowsMax: number, foundMax: number) => scanFirst(scope, rowsMax, foundMax),
  byTarget: (rowsMax: number) => scanByTarget(scope, rowsMax, ofTarget),
});

function passesFor(scope: Scope): Passes<ScheduleKey> {
  const { wanted } = scope;
  const enough = rowsEnough(wanted);
  const filtered = isFiltered(wanted);
  const byStatus = filtered ? [() => scanByStatus(scope, enough)] : [];
  const options = { enough, isFiltered: filtered, bounds: targetBounds(wanted) };
  if (wanted.q) return [...byStatus, ...passesForTarget(scansOf(scope), wanted, options)];
  return [...byStatus, () => scanFirst(scope, FIRST_PASS_ROWS, rowsNeeded(wanted))];
}

function passesForPage(scope: Scope, isInOrder: boolean): Passes<ScheduleKey> {
  const { wanted } = scope;
  const needed = rowsNeeded(wanted);
  const filtered = isFiltered(wanted);
  // In order of `fire_at` the first rows of the list are those that `scanByStatus` would scan.
  const byStatus = filtered && !isByFire(wanted) ? [() => scanByStatus(scope, STATUS_PASS_ROWS)] : [];
  if (wanted.q) {
    const options = { enough: needed, isFiltered: filtered, bounds: targetBounds(wanted), isInOrder };
    return [...byStatus, ...passesForTarget(scansOf(scope, { isAllOrNone: true }), wanted, options)];
  }
  const first = (rowsMax: number) => () => scanFirst(scope, rowsMax, needed);
  if (!filtered || isByFire(wanted)) return [first(needed)];
  return [first(STATUS_PASS_ROWS), ...byStatus, first(FIRST_PASS_ROWS)];
}

/** A row takes 2 to 3 µs; one whose status, instant or target is looked up in another table 4 to 10 µs. */
const targetBounds = (wanted: WantedSchedules): TargetBounds =>
  isFiltered(wanted) || isByFire(wanted) ? { list: 20_000, target: 8_000 } : { list: 50_000, target: 25_000 };

/** The most rows with the statuses and in the range that are all scanned for a page. */
const STATUS_PASS_ROWS = 2_000;

/** The rows scanned for a page when more than 10,000 have the statuses and are in the range. */
const FIRST_PASS_ROWS = 20_000;

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

function readSchedules(db: DbOrTx, found: Pick<Found<ScheduleKey>, "keys" | "place">, { limit }: PageSearch) {
  const ids = (of: ScheduleKey[]) => of.map(([id]) => id);
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
