import { type Bytes, bodyBytes } from "./body.ts";
import { checkTime, findKey, type VerifyOptions } from "./check-signature.ts";
import { readHeaderAs } from "./headers.ts";
import { refuse } from "./refuse.ts";
import { decodeSecrets, findSecrets } from "./secrets.ts";

/**
 * Checks `X-Service-Signature`, whose value is `header`, as Stripe's own libraries do: they refuse an empty body. This
 * header signs no id, so that it cannot tell a repeat: prefer `verifySignature`, which throws the same errors.
 * Source: https://docs.stripe.com/webhooks#verify-manually
 */
export async function verifyStripeStyle(
  request: { readonly header: string | readonly string[] | null | undefined; readonly body: string | Uint8Array },
  options: VerifyOptions,
): Promise<{ sentAt: Date; secretIndex: number; bytes: Bytes }> {
  const secrets = await findSecrets(options.secrets);
  decodeSecrets(secrets);
  const keys = secrets.map((secret) => new TextEncoder().encode(secret));
  const header = readHeaderAs({ [NAME]: request.header ?? undefined }, NAME, ONE_TIME);
  const timestamp = ONE_TIME.exec(header)?.[1] as string;
  const sentAt = checkTime(timestamp, options);
  const bytes = bodyBytes(request.body);
  if (!bytes.length) refuse("The body is empty: unless it was read before, use verifySignature", "body_used");
  const given = header.match(/(?<![^\s,])v1=[\da-f]{64}(?![^\s,])/gi)?.slice(0, 8) ?? [];
  const signatures = given.map((one) => decodeHex(one.slice(3)));
  return { sentAt, secretIndex: await findKey(keys, `${timestamp}.`, bytes, signatures), bytes };
}

const NAME = "x-service-signature";

/** One `t` among parts that commas separate. */
const ONE_TIME = /^(?!.*\bt=.*\bt=).*(?<![^\s,])t=(\d+)(?![^\s,])/;

function decodeHex(text: string): Bytes {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
