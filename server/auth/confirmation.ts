/**
 * Whether a browser asks for this address only to have it when somebody wants it, or a page is shown before that.
 * Source: https://fetch.spec.whatwg.org/#sec-purpose-header
 */
export function isPrefetch(headers: Headers): boolean {
  return ["sec-purpose", "purpose", "x-moz", "x-purpose"].some((name) =>
    /prefetch|preview|prerender/i.test(headers.get(name) ?? ""),
  );
}

/**
 * Whether the button of our own confirm page was pressed: another page could send a browser to the same address, to have
 * it signed in as somebody else. What tells is `Sec-Fetch-Site`, else `Referer`; whoever sends neither and asks for no page
 * is no browser.
 */
export function isFromOwnPage(headers: Headers, baseUrl: string): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const referer = headers.get("referer");
  if (referer !== null) return URL.canParse(referer) && new URL(referer).origin === new URL(baseUrl).origin;
  return headers.get("origin") === null && !(headers.get("accept") ?? "").includes("text/html");
}
