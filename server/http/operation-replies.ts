import { presentOperation } from "../operations/present.ts";
import type { StartedOperation } from "../operations/start.ts";
import { accepted, ok } from "./reply.ts";

/** 202 for a new operation; 200 for a known idempotency key, with headers that say so and whether the request differs. */
export function startedReply({ outcome, operation, mismatch }: StartedOperation) {
  if (outcome === "accepted") return accepted(presentOperation(operation));
  return ok(presentOperation(operation), {
    "Idempotent-Replayed": "true",
    ...(mismatch && { "Idempotency-Mismatch": "true" }),
  });
}
