import { readKey } from "./key.ts";
import { invalid } from "./validate.ts";

/**
 * Sets `idempotencyKey` from the `Idempotency-Key` header. Throws VALIDATION when the header is malformed or differs from the
 * field.
 */
export function withIdempotencyHeader<T extends { idempotencyKey?: string | undefined }>(
  input: T,
  headers: Headers,
): T {
  const key = readIdempotencyHeader(headers);
  if (key === undefined) return input;
  if (input.idempotencyKey !== undefined && input.idempotencyKey !== key) {
    throw problem("must equal the field idempotencyKey");
  }
  return { ...input, idempotencyKey: key };
}

/** The `Idempotency-Key` header: 1 to 255 characters of visible ASCII and spaces. Throws VALIDATION when it is malformed. */
export function readIdempotencyHeader(headers: Headers): string | undefined {
  const key = headers.get(NAME);
  if (key === null) return undefined;
  if (!/^[\x20-\x7e]*$/.test(key)) throw problem("must be visible ASCII; the field idempotencyKey accepts any text");
  return readKey(key, NAME);
}

/** Throws VALIDATION when there is an `Idempotency-Key` header: one key cannot identify many schedules. */
export function refuseIdempotencyHeader(headers: Headers): void {
  if (headers.has(NAME)) throw problem("is not supported for bulk; set idempotencyKey on each item");
}

const NAME = "Idempotency-Key";

function problem(message: string) {
  return invalid([{ path: NAME, message }]);
}
