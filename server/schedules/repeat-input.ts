import { z } from "zod";
import { CustomHeaders, IdempotencyKey, Payload } from "./create-input.ts";
import { AT_MOST_ONE_TIME, checkTimes, TIME_FIELDS, WHATEVER_ELSE } from "./time-input.ts";

const FIELDS = { ...TIME_FIELDS, idempotencyKey: IdempotencyKey.optional() };

/** The body of POST /v1/schedules/:id/replay. Without a time it fires now. */
export const ReplayInput = z.strictObject(FIELDS).superRefine(checkTimes, WHATEVER_ELSE).meta(AT_MOST_ONE_TIME);

/** The body of POST /v1/schedules/:id/clone. `headers` replace all headers of the original. */
export const CloneInput = z
  .strictObject({ ...FIELDS, payload: Payload, headers: CustomHeaders.optional() })
  .superRefine(checkTimes, WHATEVER_ELSE)
  .meta(AT_MOST_ONE_TIME);

/** The changes of a replay or clone, as a form gives them; omitted fields are taken from the original. */
export const RepeatInput = z.strictObject({
  ...FIELDS,
  payload: Payload.optional(),
  headers: CustomHeaders.optional(),
});

export type RepeatInput = z.infer<typeof RepeatInput>;
