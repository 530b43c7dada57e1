import { type CreateInput, IdempotencyKey } from "../schedules/create-input.ts";
import { invalid } from "../validate.ts";

/**
 * The input with the key of an `Idempotency-Key` header in it, which means the same as the field. The header takes
 * visible ASCII and spaces. Throws VALIDATION when it is malformed or differs from the field.
 */
export function withIdempotencyHeader(input: CreateInput, headers: Headers): CreateInput {
  const key = headers.get("idempotency-key");
  if (key === null) return input;
  const problem = (message: string) => invalid([{ path: "Idempotency-Key", message }]);
  if (!/^[\x20-\x7e]*$/.test(key)) throw problem("must be visible ASCII; the field idempotencyKey takes any text");
  const parsed = IdempotencyKey.safeParse(key);
  if (!parsed.success) throw problem(parsed.error.issues[0]?.message ?? "is malformed");
  if (input.idempotencyKey !== undefined && input.idempotencyKey !== key) {
    throw problem("must be the same as the field idempotencyKey");
  }
  return { ...input, idempotencyKey: key };
}
