import { accepted, ok } from "../http/reply.ts";
import { presentOperation } from "./present.ts";
import type { StartedOperation } from "./start.ts";

/** 202 for a new operation; 200 for a known idempotency key, with headers that say so and whether the request differs. */
export function startedReply({ outcome, operation, mismatch }: StartedOperation) {
  if (outcome === "accepted") return accepted(presentOperation(operation));
  return ok(presentOperation(operation), {
    "Idempotent-Replayed": "true",
    ...(mismatch && { "Idempotency-Mismatch": "true" }),
  });
}
