import { cookies, headers } from "next/headers";
import { readTheme, THEME_COOKIE, type Theme } from "#domain/theme.ts";
import { PAGE_REQUEST_ID_HEADER, readNonce } from "#server/http/response-headers.ts";

/** The visitor's theme, from the cookie. */
export async function chosenTheme(): Promise<Theme> {
  return readTheme((await cookies()).get(THEME_COOKIE)?.value);
}

/** The request id of this page, as in the log and in `X-Request-Id`. */
export async function pageRequestId(): Promise<string | undefined> {
  return (await headers()).get(PAGE_REQUEST_ID_HEADER) ?? undefined;
}

/** The nonce that scripts of this page need. */
export async function pageNonce(): Promise<string | undefined> {
  return readNonce((await headers()).get("content-security-policy"));
}
