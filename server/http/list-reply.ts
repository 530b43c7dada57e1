import type { Ctx } from "../context.ts";
import { OFFSET_MAX } from "../list-parameters.ts";
import { pageLinks } from "./page-links.ts";
import { ok } from "./reply.ts";

/** What a query for one page of a list found. */
export type ListPage<Row> = { rows: Row[]; hasMore: boolean; total: number; totalCapped: boolean };

/** One page of a list, with `Link` to its neighbours; `present` writes a row. */
export function listReply<Row, Item>(
  ctx: Ctx,
  requestUrl: string,
  { limit, offset }: { limit: number; offset: number },
  page: ListPage<Row>,
  present: (row: Row) => Item,
) {
  const { hasMore } = page;
  const link = pageLinks(ctx.config.baseUrl, requestUrl, { limit, offset, offsetMax: OFFSET_MAX, hasMore });
  const body = {
    items: page.rows.map(present),
    total: page.total,
    ...(page.totalCapped && { total_capped: true as const }),
    limit,
    offset,
  };
  return ok(body, link === undefined ? {} : { Link: link });
}
