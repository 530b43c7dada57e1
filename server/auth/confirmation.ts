/**
 * Whether the request is a browser's prefetch, preview or prerender. Source:
 * https://fetch.spec.whatwg.org/#sec-purpose-header
 */
export function isPrefetch(headers: Headers): boolean {
  return ["sec-purpose", "purpose", "x-moz", "x-purpose"].some((name) =>
    /prefetch|preview|prerender/i.test(headers.get(name) ?? ""),
  );
}

/**
 * Whether a navigation comes from a page of our own origin, such as the confirm page. A page of another site could
 * otherwise sign its visitor in to the attacker's account (login CSRF). Checks `Sec-Fetch-Site`, else `Referer`. A request
 * with neither that does not accept HTML is not from a browser and passes.
 */
export function isSameOriginNavigation(headers: Headers, baseUrl: string): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const referer = headers.get("referer");
  if (referer !== null) return URL.canParse(referer) && new URL(referer).origin === new URL(baseUrl).origin;
  return headers.get("origin") === null && !(headers.get("accept") ?? "").includes("text/html");
}
