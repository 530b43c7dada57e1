import { randomUUID } from "node:crypto";

/** A new request id, for `X-Request-Id` and the log. */
export function newRequestId(): string {
  return `req_${randomUUID().replaceAll("-", "")}`;
}
