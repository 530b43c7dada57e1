import { writeCursor } from "#contract/inputs/cursor.ts";
import type { Ctx } from "#server/context.ts";
import { countSince } from "#server/logs/count-since.ts";
import { listOwnAttempts } from "#server/logs/list.ts";
import type { View } from "../view.ts";
import { logHref } from "./links.ts";
import { type LogListQuery, PAGES_COUNTED, ROWS_PER_PAGE } from "./list-query.ts";

/**
 * Attempts are recorded when they end. One that began up to this many ms before the page was rendered, and is recorded
 * later, counts as new.
 */
const RECORDED_WITHIN_MS = 60_000;

/** One page of the log. `tail`, only on the first page of the newest: since when newer attempts are counted, and how many are known. */
export async function readLog(ctx: Ctx, view: View, query: LogListQuery) {
  const { input, page } = query;
  const isFirst =
    input.sort !== "late" && page === 1 && input.after === undefined && (input.to === undefined || input.to > view.now);
  const since = new Date(view.now.getTime() - RECORDED_WITHIN_MS);
  const [found, known] = await Promise.all([
    listOwnAttempts(ctx, input),
    isFirst ? countSince(ctx, input, since) : undefined,
  ]);
  const { rows, hasMore, last, total } = found;
  const rowsBefore = input.after?.rowsBefore ?? input.offset;
  const cursor =
    hasMore && last ? writeCursor({ order: input.sort, ...last, rowsBefore: rowsBefore + rows.length }) : undefined;
  // Behind a bounded search, only the cursor leads on.
  const isCounted = !found.isBounded && input.after === undefined && page < PAGES_COUNTED;
  return {
    rows,
    total,
    isCapped: found.totalCapped,
    isBounded: found.isBounded === true,
    from: rows.length === 0 ? 0 : rowsBefore + 1,
    to: rowsBefore + rows.length,
    next: cursor && logHref(view, isCounted ? { page: String(page + 1) } : { after: cursor }),
    previous:
      input.after === undefined && page > 1
        ? logHref(view, { page: page > 2 ? String(Math.min(page - 1, lastPage(total))) : undefined })
        : undefined,
    tail: known === undefined ? undefined : { since, known },
  };
}

const lastPage = (total: number) => Math.max(1, Math.ceil(total / ROWS_PER_PAGE));
