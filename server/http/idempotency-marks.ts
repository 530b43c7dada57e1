/** The result of a call with an idempotency key; `replayed` means that the key was known. */
type Outcome = { outcome: string; mismatch: boolean };

/** The fields of an answer that say whether the idempotency key was known, and whether it had another request then. */
export function idempotencyFields({ outcome, mismatch }: Outcome) {
  return { replayed: outcome === "replayed", mismatch };
}

/** The same as headers. Those that would be false are left out. */
export function idempotencyHeaders({ outcome, mismatch }: Outcome): Record<string, string> {
  return {
    ...(outcome === "replayed" && { "Idempotent-Replayed": "true" }),
    ...(mismatch && { "Idempotency-Mismatch": "true" }),
  };
}
