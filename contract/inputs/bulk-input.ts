import { z } from "zod";
import type { ErrorCode } from "#domain/errors.ts";

/** One item as its bytes, which `take` parses. */
export type UnreadItem = { readonly byteLength: number; take(): unknown };

/** The body of POST /v1/schedules/bulk. Items are parsed and validated one by one, each like the body of POST /v1/schedules. */
export const BulkInput = z.strictObject({
  schedules: z.array(z.custom<UnreadItem>(), "must be an array of schedules").min(1, "must have at least one schedule"),
});

export type BulkInput = z.infer<typeof BulkInput>;

/** Error codes of rejected items. */
export const ITEM_CODES = [
  "VALIDATION",
  "CONFLICT",
  "PAYLOAD_TOO_LARGE",
  "QUOTA_EXCEEDED",
] as const satisfies ErrorCode[];
