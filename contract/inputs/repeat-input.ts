import { z } from "zod";
import { CustomHeaders, IdempotencyKey, Payload, TargetUrl } from "./create-input.ts";
import { Delivery } from "./delivery-input.ts";
import { AT_MOST_ONE_TIME, checkTimes, TIME_FIELDS, WHATEVER_ELSE } from "./time-input.ts";

const FIELDS = { ...TIME_FIELDS, idempotencyKey: IdempotencyKey.optional() };

/** The body of POST /v1/schedules/:id/replay. Without a time it fires now. */
export const ReplayInput = z.strictObject(FIELDS).superRefine(checkTimes, WHATEVER_ELSE).meta(AT_MOST_ONE_TIME);

/**
 * The body of POST /v1/schedules/:id/clone. `headers` replace all headers of the original. Nothing sealed goes to another
 * target: `payload` is required, and without `headers` none are carried over.
 */
export const CloneInput = z
  .strictObject({
    ...FIELDS,
    payload: Payload,
    headers: CustomHeaders.optional(),
    targetUrl: TargetUrl.optional().describe(
      "Another target, judged as that of a new schedule. No header of the original is then carried over.",
    ),
    delivery: Delivery.describe("In place of the options of the original, which it has otherwise."),
  })
  .superRefine(checkTimes, WHATEVER_ELSE)
  .meta(AT_MOST_ONE_TIME);

/** The changes of a replay or clone, as a form gives them; omitted fields are taken from the original. */
export const RepeatInput = z.strictObject({
  ...FIELDS,
  payload: Payload.optional(),
  headers: CustomHeaders.optional(),
  targetUrl: TargetUrl.optional(),
  delivery: Delivery,
});

export type RepeatInput = z.infer<typeof RepeatInput>;

/** Whether these changes leave the request as it is, as a replay does. */
export function isReplay({ payload, headers, targetUrl, delivery }: RepeatInput): boolean {
  return [payload, headers, targetUrl, delivery].every((change) => change === undefined);
}
