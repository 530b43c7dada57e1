import type { ClaimedSchedule } from "#db/queries/schedules/claim.ts";
import { answerText } from "#domain/answer-text.ts";
import { secretAad } from "#domain/associated-data.ts";
import { type KeyRing, open as openSealed } from "#domain/cipher.ts";
import { failureText } from "#domain/error-text.ts";
import { openRequest, unpackRequest } from "#domain/sealed-request.ts";

/** What the text of a rejected attempt is made from. `sealed` and the secrets are base64, `body` is latin1. */
export type TextQuestion = Pick<
  ClaimedSchedule,
  "id" | "accountId" | "env" | "method" | "targetUrl" | "sealed" | "currentSecret" | "formerSecret"
> & { body: string; contentType: string };

/**
 * The text that is stored for a rejected attempt: the start of the response body, without anything that repeats the
 * request or the account's secrets. Empty when it cannot be compared with them.
 */
export function errorTextOf(question: TextQuestion, keyRing: KeyRing): string {
  const { sealed, accountId, env, contentType } = question;
  const bytes = (text: string) => Buffer.from(text, "base64");
  const secrets = [question.currentSecret, question.formerSecret].filter((secret) => secret !== null);
  try {
    const request = sealed
      ? unpackRequest(openRequest(keyRing, bytes(sealed), question))
      : { headers: [], payload: null };
    const body = Buffer.from(question.body, "latin1");
    const parts = {
      ...request,
      secrets: secrets.map((secret) => openSealed(keyRing, bytes(secret), secretAad(accountId, env)).toString()),
    };
    return failureText(answerText(body, contentType), parts, body);
  } catch {
    return "";
  }
}
