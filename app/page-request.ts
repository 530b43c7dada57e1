import { cookies, headers } from "next/headers";
import { readTheme, THEME_COOKIE, type Theme } from "#components/layout/theme.ts";
import { PAGE_REQUEST_ID_HEADER } from "#server/edge/response-headers.ts";

/** The theme that the visitor has chosen. */
export async function chosenTheme(): Promise<Theme> {
  return readTheme((await cookies()).get(THEME_COOKIE)?.value);
}

/** The id of this page's request, as it stands in the log and in the answer's `X-Request-Id`. */
export async function pageRequestId(): Promise<string | undefined> {
  return (await headers()).get(PAGE_REQUEST_ID_HEADER) ?? undefined;
}
