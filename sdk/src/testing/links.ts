import type { Page } from "../types.ts";

/** The `Link` header of a page: the next and the previous one by `offset`, and by `after` where that was asked for. "" without. */
export function linkOf(url: URL, page: Page<object>, isByCursor: boolean): string {
  const { limit, offset, total, next_cursor: cursor } = page;
  const link = (rel: string, name: "offset" | "after", value: string) => {
    const query = new URLSearchParams(url.searchParams);
    query.set("limit", `${limit}`);
    query.delete(name === "after" ? "offset" : "after");
    query.set(name, value);
    return `<${url.origin}${url.pathname}?${query}>; rel="${rel}"`;
  };
  const links: string[] = [];
  if (cursor !== null) {
    const canCount = !isByCursor && offset + limit <= 10_000;
    links.push(canCount ? link("next", "offset", `${offset + limit}`) : link("next", "after", cursor));
  }
  if (!isByCursor && offset > 0 && total > 0)
    links.push(link("prev", "offset", `${Math.max(0, Math.min(offset, total) - limit)}`));
  return links.join(", ");
}
