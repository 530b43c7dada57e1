import { createHmac, type KeyObject } from "node:crypto";
import type { GivenTime } from "./fire-time.ts";
import { writeLateRange } from "./late-range.ts";
import { writeLocalTime } from "./local-time.ts";
import { isNarrower, type OperationAction, type OperationFilter } from "./operations.ts";
import type { HeaderPairs } from "./sealed-request.ts";

/** A create request before defaults of the account are applied; null for omitted fields. */
export type OriginalRequest = {
  targetUrl: string;
  method: string;
  /** Null for now. */
  time: GivenTime | null;
  headers: HeaderPairs;
  payload: string | null;
  earlyFire: boolean | null;
};

/** A replay or clone of the schedule `of` (UUID); null for omitted fields. */
export type OriginalRepeat = {
  of: string;
  time: GivenTime | null;
  payload: string | null;
  headers: HeaderPairs | null;
  /** Another target than the original's, as it would be delivered, or as it was given when it is refused. */
  targetUrl: string | null;
};

/**
 * HMAC-SHA256 (32 bytes) of a request, to detect whether a repeated idempotency key came with the same request. Target
 * (`deliveredUrl`; null when it is refused), headers and payload count as they would be delivered: without order and case
 * of header names, and without the spaces around their values; an empty payload equals none. An instant counts as such, a
 * duration as such, a local time with its zone and rule. Keyed, because short payloads could be guessed from a plain hash.
 */
export function requestHash(key: KeyObject | Buffer, request: OriginalRequest, deliveredUrl: string | null): Buffer {
  const { targetUrl, method, time, headers, payload, earlyFire } = request;
  const url = deliveredUrl ?? targetUrl;
  const fields = [FORMAT, url, method, timeText(time), String(earlyFire), payload ?? "", ...headerFields(headers)];
  return hashFields(key, fields);
}

/** As `requestHash`, for a replay or clone. */
export function repeatHash(key: KeyObject | Buffer, { of, time, payload, headers, targetUrl }: OriginalRepeat): Buffer {
  const kind = payload === null ? "replay" : "clone";
  const whose = headers === null ? "same headers" : "own headers";
  const fields = [REPEAT_FORMAT, of, timeText(time), kind, payload ?? "", whose, ...headerFields(headers ?? [])];
  return hashFields(key, targetUrl === null ? fields : [...fields, "target", targetUrl]);
}

/** As `requestHash`, for an operation on many schedules. */
export function operationHash(
  key: KeyObject | Buffer,
  operation: { action: OperationAction; filter: OperationFilter | null; scheduleIds: readonly string[] | null },
): Buffer {
  const { action, filter, scheduleIds } = operation;
  const isWithNarrower = filter !== null && isNarrower(filter);
  const kind = filter === null ? "chosen" : isWithNarrower ? "narrower filter" : "filter";
  const ids = scheduleIds === null ? [] : scheduleIds.toSorted();
  const narrower = isWithNarrower ? narrowerFields(filter) : [];
  return hashFields(key, [OPERATION_FORMAT, action, kind, ...filterFields(filter), ...ids, ...narrower]);
}

function filterFields(filter: OperationFilter | null): string[] {
  const { statuses = null, q = null, fromMs = null, toMs = null } = filter ?? {};
  return [String(statuses?.toSorted()), q?.text ?? "", String(fromMs), String(toMs)];
}

function narrowerFields({ late, host, code, idempotencyKey, operationId }: OperationFilter): string[] {
  return [late && writeLateRange(late), host, code, idempotencyKey, operationId].map(String);
}

const OPERATION_FORMAT = "operation-hash-1";
const FORMAT = "request-hash-1";
const REPEAT_FORMAT = "repeat-hash-1";

function hashFields(key: KeyObject | Buffer, fields: readonly string[]): Buffer {
  // Length-prefixed, so that different fields cannot concatenate to the same text.
  const text = fields.map((field) => `${Buffer.byteLength(field)}:${field}`).join("");
  return createHmac("sha256", key).update(text).digest();
}

function timeText(time: GivenTime | null): string {
  if (time === null) return "null";
  if ("atMs" in time) return String(time.atMs);
  if ("inMs" in time) return `in ${time.inMs}`;
  const { local, ms, zone, onClockChange } = time;
  return `local ${writeLocalTime(local)} ${ms} ${zone} ${onClockChange}`;
}

// The spaces and tabs around a header's value are no part of it (RFC 9110, 5.5).
function headerFields(headers: HeaderPairs): string[] {
  return headers
    .map(([name, value]) => [name.toLowerCase(), value.trim()] as const)
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
