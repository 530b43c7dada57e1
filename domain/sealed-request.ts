import { type Destination, formerRequestAad, requestAad } from "./associated-data.ts";
import { type KeyRing, open, type SealedFormat, seal } from "./cipher.ts";

export type HeaderPairs = [name: string, value: string][];

/**
 * Packs custom headers and payload into one plaintext for `seal`: length of the headers (4 bytes, big-endian), headers as
 * a JSON array of pairs, payload in UTF-8. Null when there are neither; an empty payload counts as none.
 */
export function packRequest({ headers, payload }: { headers: HeaderPairs; payload: string | null }): Buffer | null {
  if (headers.length === 0 && !payload) return null;
  const head = Buffer.from(headers.length === 0 ? "" : JSON.stringify(headers));
  const packed = Buffer.allocUnsafe(LENGTH_BYTES + head.length + Buffer.byteLength(payload ?? ""));
  packed.writeUInt32BE(head.length);
  head.copy(packed, LENGTH_BYTES);
  packed.write(payload ?? "", LENGTH_BYTES + head.length);
  return packed;
}

/** The inverse of `packRequest`. The payload is a view into `packed`, empty when there was none. */
export function unpackRequest(packed: Buffer): { headers: HeaderPairs; payload: Buffer } {
  const payloadAt = LENGTH_BYTES + packed.readUInt32BE();
  if (payloadAt > packed.length) throw new RangeError("the packed request is cut off");
  const headers = payloadAt === LENGTH_BYTES ? [] : JSON.parse(packed.toString("utf8", LENGTH_BYTES, payloadAt));
  return { headers, payload: packed.subarray(payloadAt) };
}

/** Encrypts a packed request, bound to schedule, method and target. */
export function sealRequest(ring: KeyRing, packed: Buffer, to: Destination): Buffer {
  return seal(ring, packed, requestAad(to), BOUND_TO_TARGET);
}

/**
 * Decrypts a sealed request, also one of an earlier version that bound it to the schedule's id alone. Throws
 * DecryptionError, also when schedule, method or target are not those that it was sealed for.
 */
export function openRequest(ring: KeyRing, sealed: Buffer, to: Destination): Buffer {
  return open(ring, sealed, isBoundToTarget(sealed) ? requestAad(to) : formerRequestAad(to.id));
}

/** Whether a sealed request is bound to its target; `sealed` may be its first bytes alone. */
export function isBoundToTarget(sealed: Buffer): boolean {
  return sealed[0] === BOUND_TO_TARGET;
}

// A format of its own, so that a request bound to its target can never be opened as one that is not.
const BOUND_TO_TARGET: SealedFormat = 2;
const LENGTH_BYTES = 4;
