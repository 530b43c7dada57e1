import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto";

/** The two keys of a secret: its decoded bytes for Standard Webhooks, its whole text for Stripe's scheme. */
export type SigningKeys = { decoded: KeyObject; text: KeyObject };

export type SignatureHeaders = {
  "X-Service-Signature": string;
  "webhook-id": string;
  "webhook-timestamp": string;
  "webhook-signature": string;
};

/**
 * The two signature headers of an attempt, each with one signature per key (current, then former while it is valid):
 * `webhook-signature` by Standard Webhooks over `{id}.{timestamp}.{body}`, `X-Service-Signature` by Stripe's scheme over
 * `{t}.{body}`. `scheduleId` is the public id.
 * Sources: https://www.standardwebhooks.com, https://docs.stripe.com/webhooks#verify-manually
 */
export function signRequest(request: {
  keys: readonly SigningKeys[];
  scheduleId: string;
  timestampSeconds: number;
  body: Buffer;
}): SignatureHeaders {
  const timestamp = String(request.timestampSeconds);
  const contentHead = `${request.scheduleId}.${timestamp}.`;
  const serviceHead = `${timestamp}.`;
  let service = `t=${timestamp}`;
  const webhook: string[] = [];
  for (const { decoded, text } of request.keys) {
    service += `,v1=${createHmac("sha256", text).update(serviceHead).update(request.body).digest("hex")}`;
    webhook.push(`v1,${createHmac("sha256", decoded).update(contentHead).update(request.body).digest("base64")}`);
  }
  return {
    "X-Service-Signature": service,
    "webhook-id": request.scheduleId,
    "webhook-timestamp": timestamp,
    "webhook-signature": webhook.join(" "),
  };
}

/**
 * Parses a secret into key objects, for reuse: signing with raw keys costs three times as much. The `whsec_` prefix is
 * optional, as in Standard Webhooks. Throws when the rest is not base64; the message does not quote it.
 */
export function loadSigningSecret(secret: string): SigningKeys {
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
  const decoded = Buffer.from(encoded, "base64");
  if (decoded.length === 0 || decoded.toString("base64") !== encoded) {
    throw new Error("a signing secret must be whsec_ and base64");
  }
  return { decoded: createSecretKey(decoded), text: createSecretKey(Buffer.from(secret)) };
}

/** A new secret: `whsec_` and base64 of 32 random bytes. */
export function generateSigningSecret(): string {
  return PREFIX + randomBytes(32).toString("base64");
}

const PREFIX = "whsec_";
