import { AppError } from "#domain/errors.ts";

/**
 * Throws FORBIDDEN when a browser sent this request from a page that is not of our own origin, which a sibling subdomain
 * is not. What tells is `Origin`, else `Sec-Fetch-Site`, else `Referer`; a request with none of them comes from no
 * browser and passes.
 */
export function assertSameOrigin(headers: Headers, baseUrl: string): void {
  const own = new URL(baseUrl).origin;
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  const referer = headers.get("referer");
  const isOwn =
    origin !== null
      ? origin === own
      : site !== null
        ? site === "same-origin"
        : referer === null || (URL.canParse(referer) && new URL(referer).origin === own);
  if (!isOwn) throw new AppError("FORBIDDEN", `A signed-in browser may write only from a page of ${own}.`);
}
