import type { WholeList } from "#components/schedules/selection-bar.tsx";
import { writeCursor } from "#contract/inputs/cursor.ts";
import { ACTED_ON, actedOnAmong } from "#domain/operations.ts";
import type { Ctx } from "#server/context.ts";
import { countOwnListed, listOwnSchedules } from "#server/schedules/list.ts";
import {
  countOwnByStatus,
  listUpcomingFirst,
  type ScheduleListing,
  upcomingOrder,
} from "#server/schedules/list-upcoming.ts";
import { ROWS_PER_PAGE, type ScheduleListQuery } from "./list-query.ts";

export type Counts = Awaited<ReturnType<typeof countOwnByStatus>> | undefined;

const NOTHING: ScheduleListing = { rows: [], hasMore: false, total: 0, totalCapped: false };

/**
 * Where the list goes on whose page has no number: by a cursor, or, in an order without one, from the newest schedule on,
 * where it has one.
 */
export type GoesOn = { sort: string; after?: string };

/**
 * One page of the list and where it goes on, the number of schedules by status, unless a filter other than status and range is
 * given, and how many of all that match can be cancelled.
 */
export async function readList(ctx: Ctx, query: ScheduleListQuery) {
  const { filter, sort, page, after, problem } = query;
  const { status: _status, from, to, ...others } = filter;
  const isCounted = Object.values(others).every((value) => value === undefined);
  const wanted = { ...filter, limit: ROWS_PER_PAGE, offset: after ? 0 : (page - 1) * ROWS_PER_PAGE };
  const [listing, counts] = await Promise.all([
    problem !== undefined
      ? NOTHING
      : sort === "upcoming"
        ? listUpcomingFirst(ctx, wanted)
        : listOwnSchedules(ctx, { ...wanted, sort, after }),
    isCounted ? countOwnByStatus(ctx, { from, to }) : undefined,
  ]);
  const rowsBefore = after?.rowsBefore ?? wanted.offset;
  return {
    listing,
    counts,
    rowsBefore,
    goesOn: goesOn(query, listing, rowsBefore + listing.rows.length),
    cancellable: await countCancellable(ctx, query, listing, counts),
  };
}

// Behind a search that ended early a page has no number, since each would search as far and no further.
function goesOn(
  { filter, sort, after }: ScheduleListQuery,
  { hasMore, isBounded, last }: ScheduleListing,
  rowsBefore: number,
): GoesOn | undefined {
  if (!hasMore || !(isBounded || after)) return undefined;
  const order = sort === "upcoming" ? upcomingOrder(filter.status) : sort;
  if (order === "upcoming" || !last) return { sort: "-created_at" };
  return { sort: order, after: writeCursor({ order, attempt: 0, ...last, rowsBefore }) };
}

/** Counts in the database only where neither the page nor `counts` tell. */
async function countCancellable(
  ctx: Ctx,
  { filter }: ScheduleListQuery,
  { rows, total, totalCapped }: ScheduleListing,
  counts: Counts,
): Promise<WholeList["cancellable"]> {
  const statuses = actedOnAmong("cancel", filter.status);
  if (statuses.length === filter.status?.length) return { count: total, isCapped: totalCapped };
  if (rows.length === total && !totalCapped)
    return { count: rows.filter(({ status }) => ACTED_ON.cancel.includes(status)).length, isCapped: false };
  if (statuses.length === 0) return { count: 0, isCapped: false };
  if (counts) {
    const each = statuses.map((status) => counts.byStatus[status]);
    return {
      count: each.reduce((sum, { count }) => sum + count, 0),
      isCapped: each.some(({ isCapped }) => isCapped),
    };
  }
  const found = await countOwnListed(ctx, { ...filter, status: statuses, sort: "-created_at" });
  return { count: found.total, isCapped: found.totalCapped };
}
