import { invalid } from "../input/validate.ts";
import { IdempotencyKey } from "../schedules/create-input.ts";

/**
 * The input with the key of an `Idempotency-Key` header in it, which means the same as the field. The header takes
 * visible ASCII and spaces. Throws VALIDATION when it is malformed or differs from the field.
 */
export function withIdempotencyHeader<T extends { idempotencyKey?: string | undefined }>(
  input: T,
  headers: Headers,
): T {
  const key = headers.get(NAME);
  if (key === null) return input;
  if (!/^[\x20-\x7e]*$/.test(key)) throw problem("must be visible ASCII; the field idempotencyKey takes any text");
  const parsed = IdempotencyKey.safeParse(key);
  if (!parsed.success) throw problem(parsed.error.issues[0]?.message ?? "is malformed");
  if (input.idempotencyKey !== undefined && input.idempotencyKey !== key) {
    throw problem("must be the same as the field idempotencyKey");
  }
  return { ...input, idempotencyKey: key };
}

/** Throws VALIDATION when there is an `Idempotency-Key` header: one key cannot stand for many schedules. */
export function refuseIdempotencyHeader(headers: Headers): void {
  if (headers.has(NAME)) throw problem("is not for bulk; each item has a field idempotencyKey");
}

const NAME = "Idempotency-Key";

function problem(message: string) {
  return invalid([{ path: NAME, message }]);
}
