import type { IncomingMessage, ServerResponse } from "node:http";
import type { Config } from "#config.ts";
import { onDocument, withoutDone } from "../http/done-cookie.ts";
import { isPrivate } from "./answer-cookies.ts";
import { isForScript } from "./page-answer.ts";

/**
 * Has a page say once what a form did (`doneCookie`): the first document of the page says it, and whatever its script asks
 * for after that; the next document does not. Done here because a page cannot set cookies while rendering. A page that could
 * not be loaded has not said it, and what caches may keep is no page of a form.
 */
export function sayDoneOnce(
  { method, url = "", headers }: Pick<IncomingMessage, "method" | "url" | "headers">,
  response: ServerResponse,
  config: Pick<Config, "baseUrl">,
): void {
  if (method !== "GET" || headers.cookie === undefined || isForScript(headers)) return;
  const [path = ""] = url.split("?", 1);
  const { isShown, setCookie } = onDocument(config, headers.cookie, path) ?? {};
  if (setCookie === undefined) return;
  if (isShown) headers.cookie = withoutDone(headers.cookie);
  const writeHead = response.writeHead;
  response.writeHead = ((...head: Parameters<typeof writeHead>) => {
    if (head[0] === 200 && isPrivate(response)) response.appendHeader("Set-Cookie", setCookie);
    return writeHead.apply(response, head);
  }) as typeof writeHead;
}
