import { idempotencyFields, idempotencyHeaders } from "../http/idempotency-marks.ts";
import { accepted, ok } from "../http/reply.ts";
import { presentOperation } from "./present.ts";
import type { StartedOperation } from "./start.ts";

/** 202 for a new operation; 200 for a known idempotency key, with headers that say so and whether the request differs. */
export function startedReply(started: StartedOperation) {
  const body = { ...presentOperation(started.operation), ...idempotencyFields(started) };
  return started.outcome === "accepted" ? accepted(body) : ok(body, idempotencyHeaders(started));
}
