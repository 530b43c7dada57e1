import type { ListInput } from "#contract/inputs/list-input.ts";
import { countByStatus, type SchedulePage } from "#db/queries/search/list-schedules.ts";
import { isTerminal, type ScheduleStatus, STATUSES } from "#domain/states.ts";
import type { Ctx } from "../context.ts";
import { countOwnListed, listOwnPage, listOwnSchedules } from "./list.ts";

/** A page of schedules; `last` only in an order of the API. */
export type ScheduleListing = Omit<SchedulePage, "last"> & Partial<Pick<SchedulePage, "last">>;

type UpcomingInput = Pick<ListInput, "q" | "from" | "to" | "limit" | "offset"> & {
  status?: ScheduleStatus[] | undefined;
};

/**
 * One page of the caller's schedules, upcoming first: first the open ones, next due first; then the ended ones, last
 * due first. Totals are as exact as those of `listOwnSchedules`.
 */
export async function listUpcomingFirst(ctx: Ctx, input: UpcomingInput): Promise<ScheduleListing> {
  const sort = upcomingOrder(input.status);
  if (sort !== "upcoming") return listOwnSchedules(ctx, { ...input, sort });

  const { limit: _limit, offset: _offset, ...filter } = input;
  const [page, counted] = await Promise.all([
    listOwnPage(ctx, { ...input, sort: "upcoming" }),
    countOwnListed(ctx, { ...filter, sort: "-created_at" }),
  ]);
  return { ...page, ...counted };
}

/** The order of schedules with these statuses, upcoming first: one of the API, unless open and ended ones are among them. */
export function upcomingOrder(statuses: readonly ScheduleStatus[] = STATUSES): "fire_at" | "-fire_at" | "upcoming" {
  if (statuses.every((status) => !isTerminal(status))) return "fire_at";
  return statuses.every(isTerminal) ? "-fire_at" : "upcoming";
}

/** The numbers of the caller's schedules within a range of `fire_at`: by status and in total. */
export function countOwnByStatus(ctx: Ctx, range: Pick<ListInput, "from" | "to">) {
  return ctx.query(({ db }) => countByStatus(db, ctx.tenant, range));
}
