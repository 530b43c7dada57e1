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
  const { writeSigned } = await import("../on-demand.ts");
  const { secret, body } = delivery;
  return writeSigned(delivery, decodeSecrets([secret])[0] as Bytes, bodyBytes(secret), bodyBytes(body));
}
