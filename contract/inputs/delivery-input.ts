import { z } from "zod";
import {
  type DeliveryOptions,
  GIVE_UP_STATUSES_MAX,
  orNone,
  RETRY_DELAY_MS,
  rangeOf,
  TIMEOUT_MS,
} from "#domain/delivery-options.ts";
import type { AppError } from "#domain/errors.ts";
import type { PlanLimits } from "#domain/plans.ts";
import { durationInput, instant } from "./time-input.ts";
import { invalid } from "./validate.ts";

/** More than any plan's retries. */
const DELAYS_READ_MAX = 1_000;

export const DELIVERY =
  "How this schedule is delivered. What is absent or null is by the account's relay settings at each attempt. Numbers beyond their bounds are set to them.";

const EXPIRES_AT = "No attempt begins after it. RFC 3339 with an offset, after the time of the schedule.";

const EXPIRES_IN = "The same as a duration from the time of the schedule, such as `2h`.";

const NO_STATUS = 'must be a status from 300 to 599, such as 410, or a range of them, such as "400-404"';

const GiveUp = z
  .union([z.number().meta({ type: "integer" }), z.string()], NO_STATUS)
  .refine((status) => rangeOf(status) !== null, NO_STATUS);

const WRITTEN = z.strictObject(
  {
    timeoutMs: wholeMs(TIMEOUT_MS)
      .nullish()
      .describe("The time for an answer, from the first byte of the request on. From 1,000 to 30,000."),
    retryDelaysMs: z
      .array(wholeMs(RETRY_DELAY_MS), "must be an array of delays in milliseconds, or null")
      .max(DELAYS_READ_MAX, `must have at most ${DELAYS_READ_MAX} delays`)
      .nullish()
      .describe(
        "The wait before each retry, in place of the account's attempts, backoff and strategy: as many as the plan has retries, each from 1,000 to 604,800,000 (7 days). An empty list is no retry.",
      ),
    giveUpStatuses: z
      .array(GiveUp, "must be an array of statuses and ranges of them, or null")
      .max(GIVE_UP_STATUSES_MAX, `must have at most ${GIVE_UP_STATUSES_MAX} entries`)
      .nullish()
      .describe('Answers that end the schedule at once: statuses, or ranges such as `"400-404"`. 410 unless given.'),
    expiresAt: instant(EXPIRES_AT).nullish().describe(EXPIRES_AT),
    expiresIn: durationInput({ examples: ["2h"], description: EXPIRES_IN })
      .nullish()
      .describe(EXPIRES_IN),
  },
  "must be an object or null",
);

/** How one schedule is delivered: what is absent or null is by the account's settings. Null when all is. */
export const Delivery = WRITTEN.superRefine(({ expiresAt, expiresIn }, context) => {
  if (!isGiven(expiresAt) || !isGiven(expiresIn)) return;
  context.addIssue({ code: "custom", path: ["expiresIn"], message: "cannot stand beside expiresAt: give one of them" });
})
  .meta({
    id: "DeliveryOptions",
    description: DELIVERY,
    not: { required: ["expiresAt", "expiresIn"] },
  })
  .nullable()
  .transform((options): DeliveryOptions | null => options && orNone(optionsOf(options)))
  .optional();

/** VALIDATION of more retries than the plan has; null if they fit. */
export function delaysRejection(
  options: DeliveryOptions | null | undefined,
  { retryAttemptsMax }: PlanLimits,
): AppError | null {
  if ((options?.retryDelaysMs?.length ?? 0) <= retryAttemptsMax) return null;
  const message = `is one retry too many: this plan has ${retryAttemptsMax}`;
  return invalid([{ path: `delivery.retryDelaysMs.${retryAttemptsMax}`, message }]);
}

function optionsOf(written: z.output<typeof WRITTEN>): DeliveryOptions {
  const { timeoutMs, retryDelaysMs, giveUpStatuses, expiresAt, expiresIn } = written;
  return {
    ...(isGiven(timeoutMs) && { timeoutMs }),
    ...(isGiven(retryDelaysMs) && { retryDelaysMs }),
    ...(isGiven(giveUpStatuses) && { giveUpStatuses }),
    ...(isGiven(expiresAt) && { expiresAtMs: expiresAt }),
    ...(isGiven(expiresIn) && { expiresInMs: expiresIn }),
  };
}

function wholeMs({ min, max }: { min: number; max: number }) {
  return z
    .number("must be a whole number of milliseconds")
    .refine(Number.isInteger, "must be a whole number of milliseconds")
    .meta({ type: "integer" })
    .transform((ms) => Math.min(Math.max(ms, min), max));
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}
