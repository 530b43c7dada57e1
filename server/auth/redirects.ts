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
