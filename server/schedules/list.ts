import type { ListInput } from "#contract/inputs/list-input.ts";
import { countListed, listPage, listSchedules, type SchedulePage } from "#db/queries/search/list-schedules.ts";
import type { PageSearch } from "#db/queries/search/schedule-search.ts";
import { filtersOf, type NamedFilters } from "#domain/filters.ts";
import type { Ctx } from "../context.ts";
import { targetQuery } from "../lists/target-query.ts";

/** One page of the caller's schedules. */
export async function listOwnSchedules(ctx: Ctx, input: ListInput): Promise<SchedulePage> {
  return ctx.query(({ db }) => listSchedules(db, ctx.tenant, searchOf(input)));
}

/** A page as `listOwnSchedules` finds it, without the total. */
export async function listOwnPage(
  ctx: Ctx,
  input: Omit<ListInput, "sort" | "after"> & Pick<PageSearch, "sort">,
): Promise<Pick<SchedulePage, "rows" | "hasMore" | "isBounded">> {
  return ctx.query(({ db }) => listPage(db, ctx.tenant, searchOf(input)));
}

/** How many schedules `listOwnSchedules` finds: its `total` and `totalCapped`. */
export async function countOwnListed(
  ctx: Ctx,
  input: Omit<ListInput, "limit" | "offset" | "after">,
): Promise<Pick<SchedulePage, "total" | "totalCapped">> {
  return ctx.query(({ db }) => countListed(db, ctx.tenant, searchOf(input)));
}

function searchOf<I extends NamedFilters & Pick<ListInput, "q" | "status">>(input: I) {
  const { q, status, ...rest } = input;
  return { ...rest, ...filtersOf(input), statuses: status, q: targetQuery(q) };
}
