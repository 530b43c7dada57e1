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
  return hashFields(key, [
    FORMAT,
    request.targetUrl,
    request.method,
    String(request.fireAtMs),
    String(request.earlyFire),
    request.payload ?? "",
    ...headerFields(request.headers),
  ]);
}

/** As `requestHash`, for sending the request of a schedule (`of`, its UUID) again; null where the caller said nothing. */
export function repeatHash(
  key: KeyObject | Buffer,
  repeat: { of: string; fireAtMs: number | null; payload: string | null; headers: HeaderPairs | null },
): Buffer {
  const { of, fireAtMs, payload, headers } = repeat;
  return hashFields(key, [
    REPEAT_FORMAT,
    of,
    String(fireAtMs),
    payload === null ? "replay" : "clone",
    payload ?? "",
    headers === null ? "same headers" : "own headers",
    ...headerFields(headers ?? []),
  ]);
}

const FORMAT = "request-hash-1";
const REPEAT_FORMAT = "repeat-hash-1";

function hashFields(key: KeyObject | Buffer, fields: readonly string[]): Buffer {
  // A length in front of each field, or fields could trade characters with their neighbours.
  const text = fields.map((field) => `${Buffer.byteLength(field)}:${field}`).join("");
  return createHmac("sha256", key).update(text).digest();
}

function headerFields(headers: HeaderPairs): string[] {
  return headers
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .sort(byNameThenValue)
    .flat();
}

function byNameThenValue(a: readonly [string, string], b: readonly [string, string]): number {
  return compare(a[0], b[0]) || compare(a[1], b[1]);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
