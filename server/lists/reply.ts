import { type Cursor, writeCursor } from "#contract/inputs/cursor.ts";
import { filterDigest } from "#contract/inputs/filter-digest.ts";
import { OFFSET_MAX } from "#contract/inputs/list-parameters.ts";
import { linkHeader } from "#contract/link-header.ts";
import type { Page, PageCursor } from "#db/queries/page.ts";
import type { Ctx } from "../context.ts";
import { ok } from "../http/reply.ts";

/** The page requested, of a list sorted by `order`, and its filters. */
export type PageRequest = { limit: number; offset: number; after?: Cursor | undefined; order: string };

/** 200 with one page of a list, the cursor of the next page, and a `Link` header to the next and previous page. */
export function listReply<Row, Item>(
  ctx: Ctx,
  requestUrl: string,
  query: PageRequest,
  page: Page<Row, PageCursor & { attempt?: number }>,
  present: (row: Row) => Item,
) {
  const { limit, offset, after, order } = query;
  const { hasMore, last, total } = page;
  const rowsBefore = after?.rowsBefore ?? offset;
  const cursor =
    hasMore && last
      ? writeCursor({
          order,
          attempt: 0,
          ...last,
          rowsBefore: rowsBefore + page.rows.length,
          filter: filterDigest(query),
        })
      : undefined;
  const link = linkHeader(ctx.config.baseUrl, requestUrl, {
    // Behind a bounded search, only the cursor leads to the rows that follow.
    limit,
    offset,
    offsetMax: page.isBounded ? 0 : OFFSET_MAX,
    total,
    cursor,
    isByCursor: after !== undefined,
  });
  const body = {
    items: page.rows.map(present),
    total,
    ...(page.totalCapped && { total_capped: true as const }),
    ...(page.isBounded && { search_capped: true as const }),
    limit,
    offset: rowsBefore,
    next_cursor: cursor ?? null,
  };
  return ok(body, link === undefined ? {} : { Link: link });
}
