import { delaysRejection } from "../../../contract/inputs/delivery-input.ts";
import { isReplay, type RepeatInput } from "../../../contract/inputs/repeat-input.ts";
import { readTime } from "../../../contract/inputs/time-input.ts";
import { contentErased } from "../../../contract/refusals.ts";
import { optionsOfCopy, repeatFields } from "../../../domain/request-fields.ts";
import type { Account, Stored } from "./account.ts";
import { type Draft, targetOf } from "./create.ts";

/** The schedule that a replay or clone of another one makes. It fires now unless a time is given. */
export function repeatOf(account: Account, original: Stored, body: RepeatInput): Draft {
  const { payload, targetUrl, idempotencyKey, delivery } = body;
  const headers = body.headers ?? (targetUrl === undefined ? undefined : []);
  const time = readTime(body);
  const target = targetOf(account, targetUrl ?? original.targetUrl);
  const compared = repeatFields({
    ...{ of: original.id, time: time?.given ?? null, payload: payload ?? null, headers: headers ?? null },
    targetUrl: targetUrl !== undefined && target.ok ? target.url : (targetUrl ?? null),
    delivery,
  });
  const keepsContent = payload === undefined || headers === undefined;
  return {
    ...{ target, method: original.method, time, idempotencyKey, ...optionsOfCopy(original) },
    headers: headers ?? original.headers,
    payload: payload ?? original.payload,
    compared: JSON.stringify(compared),
    replayOf: original.id,
    isUncounted: original.status === "dead" && isReplay(body),
    ...(delivery === undefined ? { isCopied: true } : { delivery }),
    refusal:
      delaysRejection(delivery, account.limits) ?? (keepsContent && original.isErased ? contentErased() : undefined),
  };
}
