/**
 * The `Link` header of one page of a list: `next` and `prev` as absolute addresses with the query as it was asked, or
 * undefined when there is neither. `next` is left out where its offset would be refused. Source: RFC 8288.
 */
export function pageLinks(
  baseUrl: string,
  requestUrl: string,
  page: { limit: number; offset: number; offsetMax: number; hasMore: boolean },
): string | undefined {
  const { pathname, searchParams } = new URL(requestUrl);
  const link = (offset: number, rel: string) => {
    const query = new URLSearchParams(searchParams);
    query.set("limit", String(page.limit));
    query.set("offset", String(offset));
    return `<${baseUrl}${pathname}?${query}>; rel="${rel}"`;
  };
  const links: string[] = [];
  const nextOffset = page.offset + page.limit;
  if (page.hasMore && nextOffset <= page.offsetMax) links.push(link(nextOffset, "next"));
  if (page.offset > 0) links.push(link(Math.max(0, page.offset - page.limit), "prev"));
  return links.length > 0 ? links.join(", ") : undefined;
}
