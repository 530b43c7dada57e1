import { type Bytes, bodyBytes } from "./body.ts";
import { decodeSecrets } from "./secrets.ts";

/** The headers that Stopwatch adds to a request. */
export type DeliveryHeaders = {
  "webhook-id": string;
  "webhook-timestamp": string;
  "webhook-signature": string;
  "X-Service-Signature": string;
  "X-Service-Schedule-Id": string;
  "X-Service-Attempt": string;
  "X-Service-Fire-At": string;
};

/**
 * Signs a delivery as Stopwatch does, for tests of a receiver. Without `scheduleId` it is a new one, `attempt` is 1 and
 * `at` the present time (epoch milliseconds where it is a number). Throws INVALID_ARGUMENT when the secret is malformed.
 */
export async function signDelivery(delivery: {
  secret: string;
  body: string | Uint8Array;
  scheduleId?: string | undefined;
  attempt?: number | undefined;
  at?: Date | number | undefined;
}): Promise<DeliveryHeaders> {
  const { secret, body, scheduleId = `sch_${crypto.randomUUID()}`, attempt = 1, at = Date.now() } = delivery;
  const { subtle } = crypto;
  const timestamp = `${Math.floor(+at / 1000)}`;
  const sign = async (raw: Bytes, head: string) => {
    const content = await new Blob([head, bodyBytes(body)]).arrayBuffer();
    const key = await subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    return new Uint8Array(await subtle.sign("HMAC", key, content));
  };
  const webhookMac = await sign(decodeSecrets([secret])[0] as Bytes, `${scheduleId}.${timestamp}.`);
  const serviceMac = await sign(bodyBytes(secret), `${timestamp}.`);
  const hex = Array.from(serviceMac, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return {
    "webhook-id": scheduleId,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${btoa(String.fromCharCode(...webhookMac))}`,
    "X-Service-Signature": `t=${timestamp},v1=${hex}`,
    "X-Service-Schedule-Id": scheduleId,
    "X-Service-Attempt": `${attempt}`,
    "X-Service-Fire-At": new Date(at).toISOString(),
  };
}
