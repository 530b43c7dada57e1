import { and, asc, desc, eq, gte, ilike, inArray, lt, or, type SQL, sql } from "drizzle-orm";
import type { DbOrTx } from "../orm.ts";
import { type ScheduleStatus, scheduleRequests, schedules } from "../schema/schedules.ts";
import { type ScheduleRow, scheduleColumns } from "./schedules.ts";
import type { Tenant } from "./tenant.ts";

export type ScheduleSearch = {
  /** Substring of the target URL in any letter case, or the whole id that `scheduleId` (UUID) is. */
  q?: { text: string; scheduleId: string | null };
  statuses?: ScheduleStatus[];
  /** `fire_at` from here on. */
  from?: Date;
  /** `fire_at` before this. */
  to?: Date;
  sort: "-created_at" | "fire_at" | "-fire_at";
  limit: number;
  offset: number;
};

export type SchedulePage = { rows: ScheduleRow[]; hasMore: boolean; total: number; totalCapped: boolean };

/** What a filtered total is counted up to, and how many of the newest rows a short `q` looks at. */
const SEARCH_ROWS_MAX = 10_000;

/**
 * One page of an account's schedules. Unfiltered, `total` is exact; filtered, it is exact up to 10,000. A `q` under
 * three characters looks at the newest 10,000 rows only, and `totalCapped` says so when there are more.
 */
export async function listSchedules(db: DbOrTx, tenant: Tenant, search: ScheduleSearch): Promise<SchedulePage> {
  const filters = [
    search.q && matches(search.q),
    search.statuses && inArray(schedules.status, search.statuses),
    search.from && gte(schedules.fireAt, search.from),
    search.to && lt(schedules.fireAt, search.to),
  ].filter((filter) => filter !== undefined);
  const isShort = search.q !== undefined && [...search.q.text].length < 3;
  const where = and(ofTenant(tenant), ...filters, isShort ? isAmongNewest(db, tenant) : undefined);

  const page = db
    .select(scheduleColumns)
    .from(scheduleRequests)
    .innerJoin(schedules, eq(schedules.id, scheduleRequests.scheduleId))
    .where(where)
    .orderBy(...ORDERS[search.sort])
    .limit(search.limit + 1)
    .offset(search.offset);
  const counted = filters.length === 0 ? countAll(db, tenant) : countFiltered(db, where);
  const [rows, count, isCut] = await Promise.all([page, counted, isShort && hasOlder(db, tenant)]);
  const isOver = filters.length > 0 && count > SEARCH_ROWS_MAX;
  return {
    rows: rows.slice(0, search.limit),
    hasMore: rows.length > search.limit,
    total: isOver ? SEARCH_ROWS_MAX : count,
    totalCapped: isOver || isCut,
  };
}

const NEWEST_FIRST = [desc(scheduleRequests.createdAt), desc(scheduleRequests.scheduleId)];

const ORDERS = {
  "-created_at": NEWEST_FIRST,
  fire_at: [asc(schedules.fireAt), asc(schedules.id)],
  "-fire_at": [desc(schedules.fireAt), desc(schedules.id)],
} as const;

function ofTenant(tenant: Tenant): SQL | undefined {
  return and(eq(scheduleRequests.accountId, tenant.accountId), eq(scheduleRequests.env, tenant.env));
}

function matches(q: { text: string; scheduleId: string | null }): SQL | undefined {
  const url = ilike(scheduleRequests.targetUrl, `%${q.text.replace(/[\\%_]/g, "\\$&")}%`);
  return q.scheduleId === null ? url : or(url, eq(scheduleRequests.scheduleId, q.scheduleId));
}

function newest(db: DbOrTx, tenant: Tenant) {
  return db
    .select({ id: scheduleRequests.scheduleId })
    .from(scheduleRequests)
    .where(ofTenant(tenant))
    .orderBy(...NEWEST_FIRST);
}

function isAmongNewest(db: DbOrTx, tenant: Tenant): SQL {
  return inArray(scheduleRequests.scheduleId, newest(db, tenant).limit(SEARCH_ROWS_MAX));
}

async function hasOlder(db: DbOrTx, tenant: Tenant): Promise<boolean> {
  return (await newest(db, tenant).offset(SEARCH_ROWS_MAX).limit(1)).length > 0;
}

async function countAll(db: DbOrTx, tenant: Tenant): Promise<number> {
  return db.$count(scheduleRequests, ofTenant(tenant));
}

// Counted in a subquery with a limit, so that a filter that matches millions does not read them all.
async function countFiltered(db: DbOrTx, where: SQL | undefined): Promise<number> {
  const found = db
    .select({ one: sql`1`.as("one") })
    .from(scheduleRequests)
    .innerJoin(schedules, eq(schedules.id, scheduleRequests.scheduleId))
    .where(where)
    .limit(SEARCH_ROWS_MAX + 1)
    .as("found");
  const [row] = await db.select({ n: sql<number>`count(*)::integer` }).from(found);
  return row?.n ?? 0;
}
