import type { Ctx } from "#server/context.ts";
import { listOwnSchedules } from "#server/schedules/list.ts";
import { countOwnByStatus, listUpcomingFirst, type ScheduleListing } from "#server/schedules/list-upcoming.ts";
import type { Asked } from "./asked.ts";

export const ROWS_PER_PAGE = 20;

export type Counts = Awaited<ReturnType<typeof countOwnByStatus>> | undefined;

const NOTHING: ScheduleListing = { rows: [], hasMore: false, total: 0, totalCapped: false };

/** What the list shows, and how many there are in each status: that is not known of what is searched for. */
export async function readList(ctx: Ctx, { filter, sort, page, problem }: Asked) {
  const { statuses: status, q, from, to } = filter;
  const window = { limit: ROWS_PER_PAGE, offset: (page - 1) * ROWS_PER_PAGE };
  const wanted = { status, q, from, to, ...window };
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
