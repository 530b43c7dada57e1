import type { Ctx } from "#server/context.ts";
import { listOwnSchedules } from "#server/schedules/list.ts";
import { countOwnByStatus, listUpcomingFirst, type ScheduleListing } from "#server/schedules/list-upcoming.ts";
import { ROWS_PER_PAGE, type ScheduleListQuery } from "./list-query.ts";

export type Counts = Awaited<ReturnType<typeof countOwnByStatus>> | undefined;

const NOTHING: ScheduleListing = { rows: [], hasMore: false, total: 0, totalCapped: false };

/** One page of the list, and the number of schedules by status; with a `q`, statuses are not counted. */
export async function readList(ctx: Ctx, { filter, sort, page, problem }: ScheduleListQuery) {
  const { q, from, to } = filter;
  const wanted = { ...filter, limit: ROWS_PER_PAGE, offset: (page - 1) * ROWS_PER_PAGE };
  const [listing, counts] = await Promise.all([
    problem !== undefined
      ? NOTHING
      : sort === "upcoming"
        ? listUpcomingFirst(ctx, wanted)
        : listOwnSchedules(ctx, { ...wanted, sort }),
    q === undefined ? countOwnByStatus(ctx, { from, to }) : undefined,
  ]);
  return { listing, counts };
}
