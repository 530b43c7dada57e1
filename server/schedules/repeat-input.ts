import { z } from "zod";
import { CustomHeaders, FireAt, IdempotencyKey, Payload } from "./create-input.ts";

/** The body of POST /v1/schedules/:id/replay. Without `fireAt` it fires now. */
export const ReplayInput = z.strictObject({ fireAt: FireAt.optional(), idempotencyKey: IdempotencyKey.optional() });

/** The body of POST /v1/schedules/:id/clone. `headers` stand in place of all that the schedule had. */
export const CloneInput = ReplayInput.extend({ payload: Payload, headers: CustomHeaders.optional() });

/** What of a schedule's request is to be different; what is left out stays as it was. */
export type RepeatInput = z.infer<typeof ReplayInput> & Partial<z.infer<typeof CloneInput>>;
