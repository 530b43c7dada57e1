import { z } from "zod";
import { decodeId } from "#domain/ids.ts";
import { filterParameters } from "./filters.ts";
import { listParameters, validateAfter } from "./list-parameters.ts";

const LogParameters = z.strictObject({
  ...listParameters,
  outcome: z
    .enum(["succeeded", "failed"], "must be succeeded or failed")
    .optional()
    .describe("`succeeded`: a 2xx response; `failed`: any other response, or none."),
  schedule_id: z
    .string()
    .transform((text, context) => {
      const id = decodeId("sch", text);
      if (id !== null) return id;
      context.addIssue("must be the id of a schedule");
      return z.NEVER;
    })
    .optional()
    .describe("The attempts of one schedule."),
  ...filterParameters,
  late: filterParameters.late.describe(
    "Of the attempt, after it was due, in whole ms rounded down, both ends included: `250..`, `..0`, `100..500`. Negative is early.",
  ),
  measured: z
    .literal("true", "must be true")
    .transform(() => true)
    .optional()
    .describe(
      "`true`: only the attempts of which the overview says how late they were: the first of each schedule, except those that were to fire at once. `late` is then in ms after `fire_at`.",
    ),
  code: filterParameters.code.describe("The answer: a status code such as `503`, a class such as `5xx`, or `none`."),
  idempotency_key: filterParameters.idempotency_key.describe("The attempts of the schedule with this idempotency key."),
  operation: filterParameters.operation.describe("The attempts of the copies that this operation made."),
  recurrence: filterParameters.recurrence.describe(
    "The attempts of the occurrences of the recurrence that has this key.",
  ),
  sort: z
    .enum(["-attempted_at", "late"], "must be -attempted_at or late")
    .default("-attempted_at")
    .describe("Sort order: the newest first, or the latest. Ties are sorted by id."),
});

/** The query of GET /v1/logs. `from` (included) and `to` (excluded) bound `attempted_at`; `schedule_id` becomes a UUID. */
export const LogsInput = LogParameters.superRefine((input, context) => validateAfter(input, input.sort, context));

/** The same for the page of the log. Its cursors name no filters, because a range such as the last hour moves. */
export const LogPageInput = LogParameters.superRefine((input, context) =>
  validateAfter(input, input.sort, context, { comparesFilters: false }),
);

export type LogsInput = z.infer<typeof LogsInput>;
