import { createHmac, type KeyObject } from "node:crypto";

const PREFIX = "form-";

/**
 * The idempotency key of a form: the same for the same `formKey` with the same content, so that a form that is sent
 * several times is stored once; a different one for different content. Keyed, because a short payload could be guessed
 * from a plain hash in the database.
 */
export function keyOfForm(key: KeyObject, formKey: string, content: unknown): string {
  const digest = createHmac("sha256", key)
    .update(`form-key-1\n${formKey}\n${JSON.stringify(content)}`)
    .digest("base64url");
  return `${PREFIX}${digest}`;
}

/** Whether an idempotency key comes from a form: from `keyOfForm`, or `form/` and a UUID from the confirm page of a list. */
export function isKeyOfForm(idempotencyKey: string): boolean {
  return /^form(?:-[\w-]{43}|\/[0-9a-f-]{36})$/.test(idempotencyKey);
}
