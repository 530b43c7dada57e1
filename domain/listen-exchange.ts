import { type ExchangeIdentity, exchangeAnswerAad, exchangeRequestAad } from "./associated-data.ts";
import { type KeyRing, open, seal } from "./cipher.ts";
import type { HeaderPairs } from "./headers.ts";

/** A request as its listener gets it. The headers are those that a socket would get, in their order and case. */
export type ExchangeRequest = { method: string; path: string; headers: HeaderPairs; body: Buffer };

/** What the listener's local server said, or why it said nothing. */
export type ExchangeAnswer =
  | {
      status: number;
      /** The value of Retry-After, null without one. */
      retryAfter: string | null;
      /** The start of the body, up to 8 KiB. */
      body: string;
      /** How long the local server took, ms. */
      latencyMs: number;
    }
  | { error: string };

/**
 * Encrypts the request of an exchange. The plaintext: length of the head (4 bytes, big-endian), head as JSON
 * (`[method, path, headers]`), body.
 */
export function sealExchangeRequest(ring: KeyRing, request: ExchangeRequest, of: ExchangeIdentity): Buffer {
  const { method, path, headers, body } = request;
  const head = Buffer.from(JSON.stringify([method, path, headers]));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(head.length);
  return seal(ring, Buffer.concat([length, head, body]), exchangeRequestAad(of));
}

/** Decrypts the request of an exchange. Throws DecryptionError, also when `of` is not what it was sealed for. */
export function openExchangeRequest(ring: KeyRing, sealed: Buffer, of: ExchangeIdentity): ExchangeRequest {
  const packed = open(ring, sealed, exchangeRequestAad(of));
  const bodyAt = LENGTH_BYTES + packed.readUInt32BE();
  const [method, path, headers] = JSON.parse(packed.toString("utf8", LENGTH_BYTES, bodyAt));
  return { method, path, headers, body: packed.subarray(bodyAt) };
}

/** Encrypts the answer of an exchange, which may repeat parts of the request. */
export function sealExchangeAnswer(ring: KeyRing, answer: ExchangeAnswer, of: ExchangeIdentity): Buffer {
  return seal(ring, Buffer.from(JSON.stringify(answer)), exchangeAnswerAad(of));
}

/** Decrypts the answer of an exchange. Throws DecryptionError, also when `of` is not what it was sealed for. */
export function openExchangeAnswer(ring: KeyRing, sealed: Buffer, of: ExchangeIdentity): ExchangeAnswer {
  return JSON.parse(open(ring, sealed, exchangeAnswerAad(of)).toString());
}

const LENGTH_BYTES = 4;
