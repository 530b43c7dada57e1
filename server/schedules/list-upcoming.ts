import type { ScheduleRow } from "#db/queries/schedules/find.ts";
import { countByStatus } from "#db/queries/search/list-schedules.ts";
import { isTerminal, type ScheduleStatus, STATUSES } from "#domain/states.ts";
import type { Ctx } from "../context.ts";
import { countOwnListed, listOwnSchedules } from "./list.ts";
import type { ListInput } from "./list-input.ts";

export type ScheduleListing = { rows: ScheduleRow[]; hasMore: boolean; total: number; totalCapped: boolean };

type Asked = Pick<ListInput, "q" | "from" | "to" | "limit" | "offset"> & { status?: ScheduleStatus[] | undefined };

/**
 * One page of the caller's schedules, upcoming first: first the open ones, next due first; then the ended ones, last
 * due first. Totals are as exact as those of `listOwnSchedules`.
 */
export async function listUpcomingFirst(ctx: Ctx, asked: Asked): Promise<ScheduleListing> {
  const wanted = asked.status ?? [...STATUSES];
  const open = wanted.filter((status) => !isTerminal(status));
  const ended = wanted.filter(isTerminal);
  if (ended.length === 0) return listOwnSchedules(ctx, { ...asked, status: open, sort: "fire_at" });
  if (open.length === 0) return listOwnSchedules(ctx, { ...asked, status: ended, sort: "-fire_at" });

  // Ended schedules are read only if the page has room for them, because searching them by instant is slowest.
  const { limit, offset, ...filter } = asked;
  const [first, whole] = await Promise.all([
    listOwnSchedules(ctx, { ...asked, status: open, sort: "fire_at" }),
    countOwnListed(ctx, { ...filter, sort: "-created_at" }),
  ]);
  const { total, totalCapped } = whole;
  const room = limit - first.rows.length;
  if (first.hasMore || room === 0) {
    return { rows: first.rows, hasMore: first.hasMore || total > first.total || totalCapped, total, totalCapped };
  }
  const passed = Math.max(offset - first.total, 0);
  const second = await listOwnSchedules(ctx, {
    ...asked,
    status: ended,
    sort: "-fire_at",
    limit: room,
    offset: passed,
  });
  return { rows: [...first.rows, ...second.rows], hasMore: second.hasMore, total, totalCapped };
}

/** The numbers of the caller's schedules within a range of `fire_at`: by status and in total. */
export function countOwnByStatus(ctx: Ctx, range: Pick<ListInput, "from" | "to">) {
  return ctx.query(({ db }) => countByStatus(db, ctx.tenant, range));
}
