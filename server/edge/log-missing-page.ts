import type { IncomingMessage, ServerResponse } from "node:http";
import { loggedPath } from "../http/log-response.ts";
import { getServices } from "../services.ts";

/** Logs the answer to a request for a page when it is 404, under the id that the answer has (`X-Request-Id`). */
export function logMissingPage({ method, url = "/" }: IncomingMessage, response: ServerResponse): void {
  response.once("finish", () => {
    if (response.statusCode !== 404) return;
    const requestId = response.getHeader("x-request-id");
    getServices().log.info({ requestId, method, path: loggedPath(`http://page${url}`), status: 404 }, "no such page");
  });
}
