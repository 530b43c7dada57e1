import { z } from "zod";
import { FireAt } from "./create-input.ts";

/** The body of PATCH /v1/schedules/:id. */
export const RescheduleInput = z
  .strictObject({
    fireAt: FireAt.optional(),
    earlyFire: z
      .boolean("must be true or false")
      .optional()
      .describe("Send slightly ahead of `fireAt`, so that the request arrives on time."),
  })
  .refine((input) => input.fireAt !== undefined || input.earlyFire !== undefined, {
    message: "The body must have fireAt or earlyFire.",
  })
  .meta({ minProperties: 1 });

export type RescheduleInput = z.infer<typeof RescheduleInput>;
