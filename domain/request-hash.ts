import { createHmac, type KeyObject } from "node:crypto";
import type { OperationAction, OperationFilter } from "./operations.ts";
import type { HeaderPairs } from "./sealed-request.ts";

/** A create request as sent, before defaults of the account are applied; null for omitted fields. */
export type OriginalRequest = {
  targetUrl: string;
  method: string;
  fireAtMs: number | null;
  headers: HeaderPairs;
  payload: string | null;
  earlyFire: boolean | null;
};

/**
 * HMAC-SHA256 (32 bytes) of a request, to detect whether a repeated idempotency key came with the same request. Ignores
 * order and case of header names; an empty payload equals none. Keyed, because short payloads could be guessed from a
 * plain hash.
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

/** Like `requestHash`, for a replay or clone of the schedule `of` (UUID); null for omitted fields. */
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

/** As `requestHash`, for an operation on many schedules. */
export function operationHash(
  key: KeyObject | Buffer,
  operation: { action: OperationAction; filter: OperationFilter | null; scheduleIds: readonly string[] | null },
): Buffer {
  const { action, filter, scheduleIds } = operation;
  const { statuses = null, q = null, fromMs = null, toMs = null } = filter ?? {};
  const ids = scheduleIds === null ? [] : scheduleIds.toSorted();
  const scope = [String(statuses?.toSorted()), q?.text ?? "", String(fromMs), String(toMs), ...ids];
  return hashFields(key, [OPERATION_FORMAT, action, filter === null ? "chosen" : "filter", ...scope]);
}

const OPERATION_FORMAT = "operation-hash-1";
const FORMAT = "request-hash-1";
const REPEAT_FORMAT = "repeat-hash-1";

function hashFields(key: KeyObject | Buffer, fields: readonly string[]): Buffer {
  // Length-prefixed, so that different fields cannot concatenate to the same text.
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
