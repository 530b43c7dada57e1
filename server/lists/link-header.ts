/**
 * The `Link` header of one page of a list: `next` and `prev` as absolute addresses with the query as it was asked, or
 * undefined when there is neither. `next` has an offset while that may be asked for, and then `cursor`, with which it
 * goes on from there; a page that was reached by a cursor (`isByCursor`) has no `prev`. `prev` of a page behind the last
 * row is the last page. Source: RFC 8288.
 */
export function pageLinks(
  baseUrl: string,
  requestUrl: string,
  page: {
    limit: number;
    offset: number;
    offsetMax: number;
    total: number;
    /** Of the row after which the next page begins; undefined when there is no next page. */
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
