import type { IncomingMessage, ServerResponse } from "node:http";
import { isLoadedAhead, mayLoadAhead } from "#domain/load-ahead.ts";

type Asked = Pick<IncomingMessage, "method" | "url" | "headers">;

/** The status of a page that is not loaded ahead: the browser asks again when it is opened. */
export const REFUSED_AHEAD = 503;

/** Whether a browser asks ahead for a document that it must only load when somebody opens it. */
export function isRefusedAhead({ url = "", headers }: Asked): boolean {
  const { "sec-purpose": purpose, "sec-fetch-dest": destination = "document" } = headers;
  // A page that a browser prerenders loads its style sheet and fonts, and asks by script, with the same header.
  if (!isLoadedAhead(purpose?.toString()) || destination !== "document") return false;
  return !mayLoadAhead(url.split("?", 1)[0] ?? "");
}

/**
 * Has the browser drop, with the answer to a form, what it has loaded ahead: the form may have changed it, and the answer may
 * redirect there. Source: Clear Site Data, and HTML, "speculative loading".
 */
export function dropLoadedAhead({ method }: Asked, response: Pick<ServerResponse, "setHeader">): void {
  if (method === "POST") response.setHeader(...DROP_LOADED_AHEAD);
}

export const DROP_LOADED_AHEAD = ["Clear-Site-Data", '"prefetchCache", "prerenderCache"'] as const;
