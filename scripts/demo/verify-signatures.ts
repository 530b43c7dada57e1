import { createHmac, timingSafeEqual } from "node:crypto";
import { Webhook } from "standardwebhooks";

/**
 * Checks both signatures of a request as a receiver would, which keeps several secrets: `webhook-signature` with the
 * Standard Webhooks library, `X-Service-Signature` by Stripe's scheme. Answers what is wrong; nothing when both fit.
 * `atMs` is when the request arrived, epoch ms.
 */
export function signatureProblems(request: {
  headers: Record<string, string>;
  body: Buffer;
  secrets: string[];
  atMs: number;
}): string[] {
  const problems: string[] = [];
  if (!request.secrets.some((secret) => fitsStandardWebhooks(secret, request)))
    problems.push("webhook-signature does not fit");
  if (!request.secrets.some((secret) => fitsStripeScheme(secret, request)))
    problems.push("X-Service-Signature does not fit");
  return problems;
}

const TOLERANCE_MS = 300_000;

type Signed = { headers: Record<string, string>; body: Buffer; atMs: number };

function fitsStandardWebhooks(secret: string, { headers, body }: Signed): boolean {
  try {
    new Webhook(secret).verifyOnly(body, headers);
    return true;
  } catch {
    return false;
  }
}

// https://docs.stripe.com/webhooks#verify-manually
function fitsStripeScheme(secret: string, { headers, body, atMs }: Signed): boolean {
  const parts = (headers["x-service-signature"] ?? "").split(",").map((part) => part.split("="));
  const timestamp = parts.find(([name]) => name === "t")?.[1] ?? "";
  if (!/^\d+$/.test(timestamp) || Math.abs(Number(timestamp) * 1_000 - atMs) > TOLERANCE_MS) return false;
  const expected = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest();
  return parts.some(([name, hex]) => {
    const given = Buffer.from(hex ?? "", "hex");
    return name === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
