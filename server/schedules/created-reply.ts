import { idempotencyHeaders } from "../http/idempotency-marks.ts";
import { ok } from "../http/reply.ts";
import type { CreatedSchedule } from "./create.ts";
import { presentCreated } from "./present.ts";

/** 201 for a new schedule; 200 for a known idempotency key, with headers that say so and whether the request differs. */
export function createdReply(created: CreatedSchedule) {
  if (created.outcome === "created") return { status: 201 as const, body: presentCreated(created) };
  return ok(presentCreated(created), idempotencyHeaders(created));
}
