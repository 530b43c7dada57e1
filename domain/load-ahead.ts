/**
 * The pages that a browser may load before they are asked for. Each only shows something: none signs in or out, asks for a
 * confirmation, ends a subscription, or shows a secret once. Paths of `URLPattern`, without regular expressions, which
 * speculation rules refuse.
 */
const PATHS = [
  ...["/", "/status", "/docs", "/docs/:page", "/docs/api/:group"],
  ...["/overview", "/schedules", "/schedules/sch_:id", "/logs", "/usage", "/keys", "/relay", "/recurrences"],
  ...["/schedules/operations", "/schedules/operations/op_:id"],
];

const PATTERN = new RegExp(`^(?:${PATHS.join("|").replaceAll(/:\w+/g, "[a-z0-9-]+")})$`);

/** Whether a browser may load the page at `path` ahead. */
export function mayLoadAhead(path: string): boolean {
  return PATTERN.test(path);
}

/**
 * Whether a request loads a page ahead, by its header `Sec-Purpose` (`prefetch`, or `prefetch;prerender`). Scripts of pages cannot
 * set it, other callers can. Source: Fetch, "Sec-Purpose"; HTML, "speculative loading".
 */
export function isLoadedAhead(secPurpose: string | null | undefined): boolean {
  return /^prefetch(?:\s*;|$)/.test(secPurpose ?? "");
}

/**
 * The speculation rules of all pages: a link is loaded when it is pressed down, which is some 80 ms before the click that
 * follows it. So what is loaded ahead is nearly always asked for, and never old.
 */
export const SPECULATION_RULES = JSON.stringify({
  prefetch: [{ where: { or: PATHS.map((pathname) => ({ href_matches: { pathname } })) }, eagerness: "conservative" }],
});
