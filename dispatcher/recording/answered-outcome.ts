import type { AttemptRecord } from "#db/queries/attempts/record.ts";
import { claimOf, type Delivery } from "../delivery/delivery.ts";
import type { TextQuestion } from "./error-text.ts";

/** An outcome whose response is to be compared with the request. */
export type AnsweredOutcome = { record: AttemptRecord; delivery: Delivery };

/** What its error text is made from. `sealed` is the request, base64. */
export function textQuestion({ delivery }: AnsweredOutcome, sealed: string | null): TextQuestion {
  const { id, accountId, env, method, targetUrl, currentSecret, formerSecret } = claimOf(delivery).row;
  return {
    id,
    accountId,
    env,
    method,
    targetUrl,
    currentSecret,
    formerSecret,
    sealed,
    body: delivery.result?.body ?? "",
    contentType: delivery.result?.contentType ?? "",
  };
}
