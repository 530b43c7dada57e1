import type { ScheduleRow } from "#db/queries/schedules/find.ts";
import { countByStatus } from "#db/queries/search/list-schedules.ts";
import { isTerminal, type ScheduleStatus, STATUSES } from "#domain/states.ts";
import type { Ctx } from "../context.ts";
import { listOwnSchedules } from "./list.ts";
import type { ListInput } from "./list-input.ts";

export type ScheduleListing = { rows: ScheduleRow[]; hasMore: boolean; total: number; totalCapped: boolean };

type Asked = Pick<ListInput, "q" | "from" | "to" | "limit" | "offset"> & { status?: ScheduleStatus[] | undefined };

/**
 * One page of the caller's schedules, upcoming first: those that are to be sent, the next first, and behind them those that
 * have ended, the last first. Exact as `listOwnSchedules` is.
 */
export async function listUpcomingFirst(ctx: Ctx, asked: Asked): Promise<ScheduleListing> {
  const wanted = asked.status ?? [...STATUSES];
  const open = wanted.filter((status) => !isTerminal(status));
  const ended = wanted.filter(isTerminal);
  if (ended.length === 0) return listOwnSchedules(ctx, { ...asked, status: open, sort: "fire_at" });
  if (open.length === 0) return listOwnSchedules(ctx, { ...asked, status: ended, sort: "-fire_at" });

  const listEnded = (offset: number) => listOwnSchedules(ctx, { ...asked, status: ended, sort: "-fire_at", offset });
  const [first, atFirst] = await Promise.all([
    listOwnSchedules(ctx, { ...asked, status: open, sort: "fire_at" }),
    listEnded(0),
  ]);
  const totalCapped = first.totalCapped || atFirst.totalCapped;
  const total = totalCapped ? Math.max(first.total, atFirst.total) : first.total + atFirst.total;
  const totals = { total, totalCapped };
  const isFull = first.hasMore || first.rows.length === asked.limit;
  if (isFull) return { rows: first.rows, hasMore: first.hasMore || atFirst.total > 0, ...totals };

  const passed = Math.max(asked.offset - first.total, 0);
  const second = passed === 0 ? atFirst : await listEnded(passed);
  const room = asked.limit - first.rows.length;
  const rows = [...first.rows, ...second.rows.slice(0, room)];
  return { rows, hasMore: second.hasMore || second.rows.length > room, ...totals };
}

/** How many schedules the caller has in each status and in all, of those that fire within a range. */
export function countOwnByStatus(ctx: Ctx, range: Pick<ListInput, "from" | "to">) {
  return ctx.query(({ db }) => countByStatus(db, ctx.tenant, range));
}
