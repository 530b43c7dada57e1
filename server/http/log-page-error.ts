import { PAGE_REQUEST_ID } from "../edge/response-headers.ts";
import { services } from "../services.ts";
import { loggedPath } from "./log-response.ts";

type Failed = { path: string; method: string; headers: Readonly<Record<string, string | string[] | undefined>> };

/** Writes one line about a page that failed, under the id of its request. Never a query, a header or a body. */
export function logFailedPage(error: unknown, { path, method, headers }: Failed): void {
  services().log.error(
    { err: error, requestId: headers[PAGE_REQUEST_ID], method, path: loggedPath(`http://page${path}`) },
    "a page failed",
  );
}
