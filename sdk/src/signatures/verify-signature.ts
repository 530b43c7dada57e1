import { invalid } from "../client/invalid.ts";
import { type BodySource, type Bytes, readBody } from "./body.ts";
import { checkTime, findKey, type VerifyOptions } from "./check-signature.ts";
import { type HeaderBag, readHeader, readHeaderAs } from "./headers.ts";
import { decodeBase64, decodeSecrets, findSecrets } from "./secrets.ts";

/** A delivery whose signature was verified. */
export type Delivery = {
  /** The schedule's id, the same on every attempt: store it, to recognise a repeat. */
  scheduleId: string;
  /** When this attempt was signed, to the second. */
  sentAt: Date;
  /** The index of the secret that fits, from 0. */
  secretIndex: number;
  /** The body as it came. */
  bytes: Bytes;
  /** The body as UTF-8 text. */
  text(): string;
  /** The body as JSON. Throws INVALID_ARGUMENT when it is something else. */
  json<T = unknown>(): T;
  /** From headers that no signature covers: fit for a log, not for a decision. Null where absent. */
  unsigned: { attempt: number | null; fireAt: Date | null };
};

/**
 * Checks a delivery by Standard Webhooks, and returns what was delivered. Takes a `Request` whose body was not read yet,
 * or headers and the raw body. Throws INVALID_SIGNATURE, whose `reason` says why, or INVALID_ARGUMENT.
 * Source: https://www.standardwebhooks.com
 */
export async function verifySignature(
  request: { readonly headers: HeaderBag } & BodySource,
  options: VerifyOptions,
): Promise<Delivery> {
  return (await checkHeaders(request.headers, options))(await readBody(request));
}

/** Checks everything but the body. Returns a function that checks the body. */
export async function checkHeaders(
  headers: HeaderBag,
  options: VerifyOptions,
): Promise<(bytes: Bytes) => Promise<Delivery>> {
  const keys = decodeSecrets(await findSecrets(options?.secrets));
  // Dots separate the signed parts: an id with a dot could take in the start of a body.
  const scheduleId = readHeaderAs(headers, "webhook-id", /^[^\s.,]+$/);
  const timestamp = readHeaderAs(headers, "webhook-timestamp", /^\d+$/);
  const signatures = readHeaderAs(headers, "webhook-signature", /./);
  const sentAt = checkTime(timestamp, options);
  const given = signatures.match(/(?<!\S)v1,[A-Za-z0-9+/]{43}=(?![^\s,])/g)?.slice(0, 8) ?? [];
  const fireAt = new Date(readHeader(headers, "x-service-fire-at"));
  return async (bytes) => {
    const text = () => new TextDecoder().decode(bytes);
    return {
      scheduleId,
      sentAt,
      secretIndex: await findKey(
        keys,
        `${scheduleId}.${timestamp}.`,
        bytes,
        given.map((one) => decodeBase64(one.slice(3))),
      ),
      bytes,
      text,
      json() {
        try {
          return JSON.parse(text());
        } catch {
          // The parser's own error quotes the body.
          throw invalid("body", "is not JSON");
        }
      },
      unsigned: {
        attempt: +readHeader(headers, "x-service-attempt") || null,
        fireAt: +fireAt ? fireAt : null,
      },
    };
  };
}
