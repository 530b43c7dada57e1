import { AppError } from "#domain/errors.ts";

/**
 * Whether a browser says that a navigation comes from a page of another origin, sibling subdomains included. Checks
 * `Sec-Fetch-Site`, else `Referer`. A typed address or a bookmark comes from none.
 */
export function isFromElsewhere(headers: Headers, baseUrl: string): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site !== "same-origin" && site !== "none";
  const referer = headers.get("referer");
  return referer !== null && !(URL.canParse(referer) && new URL(referer).origin === new URL(baseUrl).origin);
}

/**
 * Throws FORBIDDEN for a request that a browser sent from a page of another origin, sibling subdomains included. Checks
 * `Origin`, else `Sec-Fetch-Site`, else `Referer`. A request with none of them is not from a browser and passes.
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
  if (!isOwn) throw new AppError("FORBIDDEN", `Writes with a session are accepted only from pages of ${own}.`);
}
