import { z } from "zod";
import { AT_MOST_ONE_TIME, checkTimes, TIME_FIELDS, WHATEVER_ELSE } from "./time-input.ts";

/** The body of PATCH /v1/schedules/:id. */
export const RescheduleInput = z
  .strictObject({
    ...TIME_FIELDS,
    earlyFire: z
      .boolean("must be true or false")
      .optional()
      .describe("Send slightly ahead of its instant, so that the request arrives on time."),
  })
  .superRefine(checkTimes, WHATEVER_ELSE)
  .refine((input) => Object.values(input).some((value) => value !== undefined), {
    message: "The body must have a time (fireAt, fireIn, or fireAtLocal with timezone), earlyFire or both.",
  })
  .meta({ minProperties: 1, ...AT_MOST_ONE_TIME });

export type RescheduleInput = z.infer<typeof RescheduleInput>;
