import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";

const ID_BYTES = 16;
const MAC_BYTES = 16;

/**
 * What a link in a notice proves itself with: the account (UUID) and 128 bits of an HMAC-SHA256 over it, in base64url. It
 * can turn that account's notices off and nothing else, and it does not expire, since old mails stay in mailboxes.
 */
export function unsubscribeToken(key: KeyObject, accountId: string): string {
  const id = Buffer.from(accountId.replaceAll("-", ""), "hex");
  return Buffer.concat([id, mac(key, id)]).toString("base64url");
}

/** The account (UUID) that a token is for; null unless it was made with this key. */
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
