import type { ScheduleRow } from "#db/queries/schedules/find.ts";
import { countByStatus } from "#db/queries/search/list-schedules.ts";
import { isTerminal, type ScheduleStatus, STATUSES } from "#domain/states.ts";
import type { Ctx } from "../context.ts";
import { countOwnListed, listOwnPage, listOwnSchedules } from "./list.ts";
import type { ListInput } from "./list-input.ts";

export type ScheduleListing = { rows: ScheduleRow[]; hasMore: boolean; total: number; totalCapped: boolean };

type UpcomingInput = Pick<ListInput, "q" | "from" | "to" | "limit" | "offset"> & {
  status?: ScheduleStatus[] | undefined;
};

/**
 * One page of the caller's schedules, upcoming first: first the open ones, next due first; then the ended ones, last
 * due first. Totals are as exact as those of `listOwnSchedules`.
 */
export async function listUpcomingFirst(ctx: Ctx, input: UpcomingInput): Promise<ScheduleListing> {
  const wanted = input.status ?? [...STATUSES];
  if (wanted.every((status) => !isTerminal(status))) return listOwnSchedules(ctx, { ...input, sort: "fire_at" });
  if (wanted.every(isTerminal)) return listOwnSchedules(ctx, { ...input, sort: "-fire_at" });

  const { limit: _limit, offset: _offset, ...filter } = input;
  const [page, counted] = await Promise.all([
    listOwnPage(ctx, { ...input, sort: "upcoming" }),
    countOwnListed(ctx, { ...filter, sort: "-created_at" }),
  ]);
  return { rows: page.rows, hasMore: page.hasMore, ...counted };
}

/** The numbers of the caller's schedules within a range of `fire_at`: by status and in total. */
export function countOwnByStatus(ctx: Ctx, range: Pick<ListInput, "from" | "to">) {
  return ctx.query(({ db }) => countByStatus(db, ctx.tenant, range));
}
