import { signDelivery } from "../signatures/sign-delivery.ts";
import type { Account, Stored } from "./account.ts";
import { secretsInUse } from "./secrets.ts";

/**
 * The headers of an attempt, names in lower case. Signatures carry the time of this machine, by which a receiver judges them:
 * its clock does not move with the fake's.
 */
export async function signAttempt(
  account: Account,
  { id, payload, attempts, fireMs }: Stored,
): Promise<{ [name: string]: string }> {
  const at = Date.now();
  const sign = (secret: string) => signDelivery({ secret, body: payload, scheduleId: id, attempt: attempts, at });
  const signed = await Promise.all(secretsInUse(account).map(sign));
  const headers: [string, string][] = Object.entries({ ...signed[0] });
  return {
    ...Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    "x-service-signature": [`t=${Math.floor(at / 1_000)}`, ...signed.map(serviceSignature)].join(),
    "webhook-signature": signed.map((one) => one["webhook-signature"]).join(" "),
    "x-service-fire-at": new Date(fireMs).toISOString(),
  };
}

function serviceSignature({ "X-Service-Signature": header }: { "X-Service-Signature": string }): string {
  return header.replace(/^t=\d+,/, "");
}
