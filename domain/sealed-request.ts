import { type Destination, requestAad } from "./associated-data.ts";
import { type KeyRing, open, seal } from "./cipher.ts";
import type { HeaderPairs } from "./headers.ts";

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

/** Encrypts a packed request, bound to account, environment, schedule, method and target. */
export function sealRequest(ring: KeyRing, packed: Buffer, to: Destination): Buffer {
  return seal(ring, packed, requestAad(to));
}

/** Decrypts a sealed request. Throws DecryptionError, also when any part of `to` is not what it was sealed for. */
export function openRequest(ring: KeyRing, sealed: Buffer, to: Destination): Buffer {
  return open(ring, sealed, requestAad(to));
}

const LENGTH_BYTES = 4;
