import { z } from "zod";

/** Fields of every answer that an idempotency key can replay. */
export const IDEMPOTENCY_FIELDS = {
  replayed: z.boolean().describe("Whether the idempotency key was known; then this is what it stands for."),
  mismatch: z.boolean().describe("Whether this request differs from the one that was stored under the key."),
};

/** Headers of an answer to a known idempotency key. */
export const IDEMPOTENCY_HEADERS = {
  "Idempotent-Replayed": "`true`, as `replayed`",
  "Idempotency-Mismatch": "`true` when the request differs from the one that was stored, as `mismatch`.",
};

/** The request header that an idempotency key may be sent in. */
export const IDEMPOTENCY_KEY_HEADER = {
  "Idempotency-Key":
    "The same as the field `idempotencyKey`, in visible ASCII; where both are given they must be equal. Sent twice with one value it counts once.",
};
