import { AppError } from "#domain/errors.ts";
import { getServices } from "../services.ts";
import { loggedPath } from "./log-response.ts";
import { PAGE_REQUEST_ID_HEADER } from "./response-headers.ts";

type PageRequest = { path: string; method: string; headers: Readonly<Record<string, string | string[] | undefined>> };

/** Logs the error of a page under its request id, which the error page shows. Never logs headers, query or body. */
export function logPageError(error: unknown, { path, method, headers }: PageRequest): void {
  getServices().log[error instanceof AppError ? "warn" : "error"](
    { err: error, requestId: headers[PAGE_REQUEST_ID_HEADER], method, path: loggedPath(`http://page${path}`) },
    "page failed",
  );
}
