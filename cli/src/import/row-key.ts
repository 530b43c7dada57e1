import { createHash } from "node:crypto";

/** The SHA-256 of a whole input, in hex. */
export function hashInput(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/**
 * The idempotency key of a row: its own, otherwise the hash of the whole input and the number of the row. So the same row
 * of the same input has the same key whenever it is sent.
 */
export function keyOf(inputHash: string, rowNumber: number, given: unknown): string {
  return typeof given === "string" ? given : `import-${inputHash}-${rowNumber}`;
}
