import { ownPath } from "#domain/redirect-path.ts";

/** Where somebody goes who has signed in and was not on the way to anywhere. */
export const HOME_PATH = "/account";

/** Where to go after a sign-in: the own path that was asked for, else `HOME_PATH`. */
export function destination(redirectTo: string | null | undefined): string {
  return (redirectTo && ownPath(redirectTo)) || HOME_PATH;
}

/** A page about sign-in with what it has to be told; where to go afterwards is left out when it is `HOME_PATH`. */
export function signInPage(
  page: "/login" | "/login/sent" | "/login/confirm",
  told: Record<string, string>,
  redirectTo?: string,
): string {
  const query = new URLSearchParams(told);
  if (redirectTo !== undefined && redirectTo !== HOME_PATH) query.set("redirectTo", redirectTo);
  return query.size > 0 ? `${page}?${query}` : page;
}
