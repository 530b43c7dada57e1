/** What a call with an idempotency key came to: `replayed` is the answer of a known key. */
type Outcome = { outcome: string; mismatch: boolean };

/** The fields of an answer that say whether the idempotency key was known, and whether it had another request then. */
export function idempotencyFields({ outcome, mismatch }: Outcome) {
  return { replayed: outcome === "replayed", mismatch };
}

/** The same as headers, which are there only when they say something. */
export function idempotencyHeaders({ outcome, mismatch }: Outcome): Record<string, string> {
  return {
    ...(outcome === "replayed" && { "Idempotent-Replayed": "true" }),
    ...(mismatch && { "Idempotency-Mismatch": "true" }),
  };
}
