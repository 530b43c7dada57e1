import type { Ctx } from "../context.ts";
import { ok } from "../http/reply.ts";
import { type Cursor, writeCursor } from "./cursor.ts";
import { pageLinks } from "./link-header.ts";
import { OFFSET_MAX } from "./parameters.ts";

/** What a query for one page of a list found; `last` is the place of its last row. */
export type ListPage<Row> = {
  rows: Row[];
  hasMore: boolean;
  last: { atMs: number; id: string; attempt?: number } | undefined;
  total: number;
  totalCapped: boolean;
};

/** Which page was asked for, of a list sorted by `order`. */
export type AskedPage = { limit: number; offset: number; after?: Cursor | undefined; order: string };

/** One page of a list, with `Link` to its neighbours; `present` writes a row. */
export function listReply<Row, Item>(
  ctx: Ctx,
  requestUrl: string,
  { limit, offset, after, order }: AskedPage,
  page: ListPage<Row>,
  present: (row: Row) => Item,
) {
  const { hasMore, last, total } = page;
  const passed = after?.passed ?? offset;
  const cursor =
    hasMore && last ? writeCursor({ order, attempt: 0, ...last, passed: passed + page.rows.length }) : undefined;
  const link = pageLinks(ctx.config.baseUrl, requestUrl, {
    ...{ limit, offset, offsetMax: OFFSET_MAX, total },
    ...{ cursor, isByCursor: after !== undefined },
  });
  const body = {
    items: page.rows.map(present),
    total,
    ...(page.totalCapped && { total_capped: true as const }),
    limit,
    offset: passed,
  };
  return ok(body, link === undefined ? {} : { Link: link });
}
