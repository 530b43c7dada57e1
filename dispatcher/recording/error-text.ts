import { answerText } from "#domain/answer-text.ts";
import { secretAad } from "#domain/associated-data.ts";
import { type KeyRing, open as openSealed } from "#domain/cipher.ts";
import { failureText } from "#domain/error-text.ts";
import { openRequest, unpackRequest } from "#domain/sealed-request.ts";
import { claimOf, type Delivery } from "../delivery/delivery.ts";

/**
 * The text that is stored for a rejected attempt: the start of the response body, without anything that repeats the
 * request (`sealed`, base64) or the account's secrets. Empty when it cannot be compared with them.
 */
export function errorTextOf(delivery: Delivery, sealed: string | null, keyRing: KeyRing): string {
  const { row } = claimOf(delivery);
  const bytes = (text: string) => Buffer.from(text, "base64");
  const secrets = [row.currentSecret, row.formerSecret].filter((secret) => secret !== null);
  try {
    const request = sealed ? unpackRequest(openRequest(keyRing, bytes(sealed), row)) : { headers: [], payload: null };
    const body = Buffer.from(delivery.result?.body ?? "", "latin1");
    const parts = {
      ...request,
      secrets: secrets.map((secret) =>
        openSealed(keyRing, bytes(secret), secretAad(row.accountId, row.env)).toString(),
      ),
    };
    return failureText(answerText(body, delivery.result?.contentType ?? ""), parts, body);
  } catch {
    return "";
  }
}
