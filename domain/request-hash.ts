import { createHmac, type KeyObject } from "node:crypto";
import {
  type OriginalOperation,
  type OriginalRecurrence,
  type OriginalRepeat,
  type OriginalRequest,
  operationFields,
  recurrenceFields,
  repeatFields,
  requestFields,
} from "./request-fields.ts";

/**
 * HMAC-SHA256 (32 bytes) of a request's fields (`requestFields`), to detect whether a repeated idempotency key came with the same
 * request. Keyed, because short payloads could be guessed from a plain hash.
 */
export function requestHash(key: KeyObject | Buffer, request: OriginalRequest, deliveredUrl: string | null): Buffer {
  return hashFields(key, requestFields(request, deliveredUrl));
}

/** As `requestHash`, for a replay or clone. */
export function repeatHash(key: KeyObject | Buffer, repeat: OriginalRepeat): Buffer {
  return hashFields(key, repeatFields(repeat));
}

/** As `requestHash`, for a recurrence. */
export function recurrenceHash(
  key: KeyObject | Buffer,
  recurrence: OriginalRecurrence,
  deliveredUrl: string | null,
): Buffer {
  return hashFields(key, recurrenceFields(recurrence, deliveredUrl));
}

/** As `requestHash`, for an operation on many schedules. */
export function operationHash(key: KeyObject | Buffer, operation: OriginalOperation): Buffer {
  return hashFields(key, operationFields(operation));
}

function hashFields(key: KeyObject | Buffer, fields: readonly string[]): Buffer {
  // Length-prefixed, so that different fields cannot concatenate to the same text.
  const text = fields.map((field) => `${Buffer.byteLength(field)}:${field}`).join("");
  return createHmac("sha256", key).update(text).digest();
}
