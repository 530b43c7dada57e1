import type { IncomingMessage, ServerResponse } from "node:http";
import type { Config } from "#config.ts";
import { isLoadedAhead } from "#domain/load-ahead.ts";
import { isPrivate } from "../http/answer-cookies.ts";
import { onDocument, withoutFlash } from "../http/flash-cookie.ts";
import { isForScript } from "../http/page-answer.ts";

/**
 * Has a page show the result of a form once (`flashCookie`): the first document of the page shows it, and so do refreshes by
 * its script; the next document does not. Done here because a page cannot set cookies while rendering. An answer other than
 * 200 has not shown it, and an answer that caches may keep is no page of a form. A page that is loaded ahead may never be looked
 * at: it shows none, and the next one does.
 */
export function showFlashOnce(
  { method, url = "", headers }: Pick<IncomingMessage, "method" | "url" | "headers">,
  response: ServerResponse,
  config: Pick<Config, "baseUrl">,
): void {
  if (method !== "GET" || headers.cookie === undefined || isForScript(headers)) return;
  if (isLoadedAhead(headers["sec-purpose"]?.toString())) {
    headers.cookie = withoutFlash(headers.cookie);
    return;
  }
  const [path = ""] = url.split("?", 1);
  const { isShown, setCookie } = onDocument(config, headers.cookie, path) ?? {};
  if (setCookie === undefined) return;
  if (isShown) headers.cookie = withoutFlash(headers.cookie);
  const writeHead = response.writeHead;
  response.writeHead = ((...head: Parameters<typeof writeHead>) => {
    if (head[0] === 200 && isPrivate(response)) response.appendHeader("Set-Cookie", setCookie);
    return writeHead.apply(response, head);
  }) as typeof writeHead;
}
