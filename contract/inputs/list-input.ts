import { z } from "zod";
import { didYouMean } from "#domain/did-you-mean.ts";
import { type ScheduleStatus, STATUSES } from "#domain/states.ts";
import { filterParameters } from "./filters.ts";
import { listParameters, validateAfter } from "./list-parameters.ts";

/** Parses a comma-separated list of statuses; for an unknown one the message suggests a similar or equivalent status. */
function readStatuses(list: string, context: z.RefinementCtx): ScheduleStatus[] {
  const names = list.split(",");
  const known = names.filter((one): one is ScheduleStatus => STATUSES.some((status) => status === one));
  if (known.length === names.length) return known;
  const unknown = names.find((one) => !known.some((status) => status === one)) ?? "";
  const suggestion = STATUS_SYNONYMS.get(unknown.trim().toLowerCase()) ?? didYouMean(unknown, STATUSES);
  const question = suggestion === undefined ? "" : `; did you mean ${suggestion}?`;
  context.addIssue(`must be one or several of ${STATUSES.join(", ")}, separated by commas${question}`);
  return z.NEVER;
}

const STATUS_SYNONYMS = new Map<string, ScheduleStatus>(
  Object.entries({
    pending: "scheduled",
    queued: "scheduled",
    waiting: "scheduled",
    active: "scheduled",
    sending: "firing",
    running: "firing",
    processing: "firing",
    in_progress: "firing",
    success: "succeeded",
    successful: "succeeded",
    delivered: "succeeded",
    sent: "succeeded",
    completed: "succeeded",
    retrying: "failed",
    error: "failed",
    exhausted: "dead",
    canceled: "cancelled",
    deleted: "cancelled",
  }),
);

/** `filterParameters` as they apply to schedules. */
export const SCHEDULE_FILTERS = {
  late: filterParameters.late.describe(
    "Of the first attempt, in whole ms, both ends included: `250..`, `..0`, `100..500`. Negative is early.",
  ),
  host: filterParameters.host,
  code: filterParameters.code.describe(
    "The answer to the last attempt: a status code such as `503`, a class such as `5xx`, or `none`.",
  ),
  idempotency_key: filterParameters.idempotency_key.describe("The idempotency key with which it was created."),
  operation: filterParameters.operation.describe("The copies that this operation made."),
  recurrence: filterParameters.recurrence.describe("The occurrences of the recurrence that has this key."),
};

/** The query of GET /v1/schedules. `from` (included) and `to` (excluded) bound `fire_at`. */
export const ListInput = z
  .strictObject({
    ...listParameters,
    ...SCHEDULE_FILTERS,
    status: z
      .string()
      .transform(readStatuses)
      .optional()
      .meta({
        type: "array",
        items: { $ref: "#/components/schemas/Status" },
        minItems: 1,
        description: "One status, or several separated by commas.",
        examples: [["failed", "dead"]],
      }),
    sort: z
      .enum(["-created_at", "fire_at", "-fire_at", "late"], "must be -created_at, fire_at, -fire_at or late")
      .default("-created_at")
      .describe(
        "Sort order; a minus sorts descending. `late` begins with the latest and ends with those that were not sent. Ties are sorted by id.",
      ),
  })
  .superRefine((input, context) => validateAfter(input, input.sort, context));

export type ListInput = z.infer<typeof ListInput>;
