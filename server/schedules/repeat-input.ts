import { z } from "zod";
import { CustomHeaders, FireAt, IdempotencyKey, Payload } from "./create-input.ts";

/** The body of POST /v1/schedules/:id/replay. Without `fireAt` it fires now. */
export const ReplayInput = z.strictObject({ fireAt: FireAt.optional(), idempotencyKey: IdempotencyKey.optional() });

/** The body of POST /v1/schedules/:id/clone. `headers` replace all headers of the original. */
export const CloneInput = ReplayInput.extend({ payload: Payload, headers: CustomHeaders.optional() });

/** The changes of a replay or clone; omitted fields are taken from the original. */
export type RepeatInput = z.infer<typeof ReplayInput> & Partial<z.infer<typeof CloneInput>>;
