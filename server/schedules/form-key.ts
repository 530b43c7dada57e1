import { createHmac, type KeyObject } from "node:crypto";

const PREFIX = "form-";

/**
 * The idempotency key of what a form sends: the same for the same form (`formKey`) with the same content, so that it is
 * stored once however often it is sent; another as soon as anything in it was changed. Keyed, since a plain hash of a
 * short payload could be guessed from the database.
 */
export function keyOfForm(key: KeyObject, formKey: string, content: unknown): string {
  const digest = createHmac("sha256", key)
    .update(`form-key-1\n${formKey}\n${JSON.stringify(content)}`)
    .digest("base64url");
  return `${PREFIX}${digest}`;
}

/** Whether an idempotency key was made by a form: by `keyOfForm`, or as `form/` and a UUID for what a list does. */
export function isKeyOfForm(idempotencyKey: string): boolean {
  return /^form(?:-[\w-]{43}|\/[0-9a-f-]{36})$/.test(idempotencyKey);
}
