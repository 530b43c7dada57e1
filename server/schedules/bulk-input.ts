import { z } from "zod";
import type { ErrorCode } from "#domain/errors.ts";

/** The body of POST /v1/schedules/bulk. Its items are judged one by one, each as the body of POST /v1/schedules. */
export const BulkInput = z.strictObject({
  schedules: z.array(z.unknown(), "must be an array of schedules").min(1, "must have at least one schedule"),
});

export type BulkInput = z.infer<typeof BulkInput>;

/** Why an item may be rejected. */
export const ITEM_CODES = [
  "VALIDATION",
  "CONFLICT",
  "PAYLOAD_TOO_LARGE",
  "QUOTA_EXCEEDED",
] as const satisfies ErrorCode[];
