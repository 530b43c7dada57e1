import { idempotencyKey } from "./fields.ts";
import { refuseField } from "./refusal.ts";

const NAME = "Idempotency-Key";

/** A body with the key of the `Idempotency-Key` header. Throws VALIDATION when that is malformed, or differs from the field. */
export function withKey<T extends { idempotencyKey?: string | undefined }>(body: T, headers: Headers): T {
  const key = readKey(headers);
  if (key === undefined) return body;
  if (body.idempotencyKey !== undefined && body.idempotencyKey !== key)
    throw refuseField(NAME, "must equal the field idempotencyKey");
  return { ...body, idempotencyKey: key };
}

/** The `Idempotency-Key` header. Throws VALIDATION when it is malformed. */
export function readKey(headers: Headers): string | undefined {
  const key = headers.get(NAME);
  if (key === null) return undefined;
  if (!/^[\x20-\x7e]*$/.test(key)) throw refuseField(NAME, "must be visible ASCII");
  return idempotencyKey(key, (message) => {
    throw refuseField(NAME, message);
  });
}

/** Throws VALIDATION when there is the header: one key cannot name many schedules. */
export function refuseKey(headers: Headers): void {
  if (headers.has(NAME)) throw refuseField(NAME, "is not supported for bulk; set idempotencyKey on each item");
}
