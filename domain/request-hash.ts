import { createHmac, type KeyObject } from "node:crypto";
import type { HeaderPairs } from "./sealed-request.ts";

/** A request as it was asked for, before any default of the account; null where the caller said nothing. */
export type OriginalRequest = {
  targetUrl: string;
  method: string;
  fireAtMs: number | null;
  headers: HeaderPairs;
  payload: string | null;
  earlyFire: boolean | null;
};

/**
 * HMAC-SHA256 (32 bytes) that tells whether a known idempotency key came with the same request again. Neither the order
 * nor the letter case of header names matters, and an empty payload is the same as none. Keyed, because a plain hash
 * of a short payload could be guessed from the database.
 */
export function requestHash(key: KeyObject | Buffer, request: OriginalRequest): Buffer {
  const headers = request.headers.map(([name, value]) => [name.toLowerCase(), value] as const).sort(byNameThenValue);
  const fields = [
    FORMAT,
    request.targetUrl,
    request.method,
    String(request.fireAtMs),
    String(request.earlyFire),
    request.payload ?? "",
    ...headers.flat(),
  ];
  const hmac = createHmac("sha256", key);
  // A length in front of each field, or fields could trade characters with their neighbours.
  for (const field of fields) hmac.update(`${Buffer.byteLength(field)}:`).update(field);
  return hmac.digest();
}

const FORMAT = "request-hash-1";

function byNameThenValue(a: readonly [string, string], b: readonly [string, string]): number {
  return compare(a[0], b[0]) || compare(a[1], b[1]);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
