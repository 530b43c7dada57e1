import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";

const ID_BYTES = 16;
const MAC_BYTES = 16;

/**
 * The token of an unsubscribe link: the account (UUID) and 128 bits of its HMAC-SHA256, in base64url. It can only turn that
 * account's notices off. It does not expire, since old mails stay in mailboxes.
 */
export function unsubscribeToken(key: KeyObject, accountId: string): string {
  const id = Buffer.from(accountId.replaceAll("-", ""), "hex");
  return Buffer.concat([id, mac(key, id)]).toString("base64url");
}

/** The account (UUID) of a token; null when the token was not made with this key. */
export function readUnsubscribeToken(key: KeyObject, token: string): string | null {
  const bytes = Buffer.from(token, "base64url");
  if (bytes.length !== ID_BYTES + MAC_BYTES || bytes.toString("base64url") !== token) return null;
  const id = bytes.subarray(0, ID_BYTES);
  if (!timingSafeEqual(bytes.subarray(ID_BYTES), mac(key, id))) return null;
  return id.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function mac(key: KeyObject, id: Buffer): Buffer {
  return createHmac("sha256", key).update("stopwatch unsubscribe\0").update(id).digest().subarray(0, MAC_BYTES);
}
