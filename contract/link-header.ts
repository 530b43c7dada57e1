/**
 * The `Link` header of one page of a list: `next` and `prev` as absolute URLs that keep the other query parameters;
 * undefined when there is neither. `next` uses `offset` up to `offsetMax`, then `after` with `cursor`. A page fetched by
 * cursor (`isByCursor`) has no `prev`. When the offset is beyond the last row, `prev` is the last page. Source: RFC 8288.
 */
export function linkHeader(
  baseUrl: string,
  requestUrl: string,
  page: {
    limit: number;
    offset: number;
    offsetMax: number;
    total: number;
    /** The cursor of the page's last row; undefined when there is no next page. */
    cursor: string | undefined;
    isByCursor: boolean;
  },
): string | undefined {
  const { pathname, searchParams } = new URL(requestUrl);
  const link = (rel: string, name: "offset" | "after", value: string) => {
    const query = new URLSearchParams(searchParams);
    query.set("limit", String(page.limit));
    query.delete(name === "after" ? "offset" : "after");
    query.set(name, value);
    return `<${baseUrl}${pathname}?${query}>; rel="${rel}"`;
  };
  const { limit, offset, total, cursor, isByCursor } = page;
  const links: string[] = [];
  if (cursor !== undefined) {
    const canCount = !isByCursor && offset + limit <= page.offsetMax;
    links.push(canCount ? link("next", "offset", String(offset + limit)) : link("next", "after", cursor));
  }
  if (!isByCursor && offset > 0 && total > 0) {
    links.push(link("prev", "offset", String(Math.max(0, Math.min(offset, total) - limit))));
  }
  return links.length > 0 ? links.join(", ") : undefined;
}
