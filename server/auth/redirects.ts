import { parseRedirectPath } from "#domain/redirect-path.ts";

/** The page after a sign-in without `redirectTo`. */
export const HOME_PATH = "/overview";

/** The path to redirect to after a sign-in: `redirectTo` if it is a safe path of this service, else `HOME_PATH`. */
export function redirectPath(redirectTo: string | null | undefined): string {
  return (redirectTo && parseRedirectPath(redirectTo)) || HOME_PATH;
}

/** The URL of a sign-in page with query parameters; `redirectTo` is omitted when it is `HOME_PATH`. */
export function signInPageUrl(
  page: "/login" | "/login/sent" | "/login/confirm",
  parameters: Record<string, string>,
  redirectTo?: string,
): string {
  const query = new URLSearchParams(parameters);
  if (redirectTo !== undefined && redirectTo !== HOME_PATH) query.set("redirectTo", redirectTo);
  return query.size > 0 ? `${page}?${query}` : page;
}

/**
 * The URL of the sign-in page after a form came without a session. It says that nothing was stored, and leads back to
 * `page`.
 */
export function signedOutPageUrl(page: string): string {
  return signInPageUrl("/login", { error: "signed_out" }, page);
}

/** The page of this service that a form was sent from, by `Referer`; null without that header. */
export function refererPath(headers: Headers, baseUrl: string): string | null {
  const referer = headers.get("referer") ?? "";
  if (!URL.canParse(referer)) return null;
  const { origin, pathname, search } = new URL(referer);
  return origin === new URL(baseUrl).origin ? parseRedirectPath(pathname + search) : null;
}
