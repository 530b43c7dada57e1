import { createHmac, timingSafeEqual } from "node:crypto";
import { Webhook } from "standardwebhooks";

export type SignedHeaders = {
  "webhook-id": string;
  "webhook-timestamp": string;
  "webhook-signature": string;
  "x-service-signature": string;
};

/**
 * Checks both signatures of a request as a receiver would: `webhook-signature` with the standardwebhooks package, and
 * `X-Service-Signature` by hand, as Stripe documents its own scheme. Returns what is wrong, nothing when both are
 * right.
 */
export function findSignatureFaults(secret: string, body: Buffer, headers: SignedHeaders, nowMs: number): string[] {
  const faults: string[] = [];
  try {
    new Webhook(secret).verify(body, headers, { jsonParse: false });
  } catch (error) {
    faults.push(`webhook-signature: ${(error as Error).message}`);
  }
  const fault = findServiceFault(secret, body, headers["x-service-signature"], nowMs);
  if (fault) faults.push(`X-Service-Signature: ${fault}`);
  return faults;
}

const TOLERANCE_SECONDS = 300;

function findServiceFault(secret: string, body: Buffer, header: string, nowMs: number): string | undefined {
  const parts = header.split(",").map((part) => part.split("=") as [string, string | undefined]);
  const timestamp = parts.find(([name]) => name === "t")?.[1];
  if (!timestamp || Math.abs(Number(timestamp) - nowMs / 1000) > TOLERANCE_SECONDS)
    return "its timestamp is missing or too old";
  const expected = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest();
  const given = parts.filter(([name]) => name === "v1").map(([, hex]) => Buffer.from(hex ?? "", "hex"));
  const matches = given.some((bytes) => bytes.length === expected.length && timingSafeEqual(bytes, expected));
  return matches ? undefined : "no v1 matches";
}
