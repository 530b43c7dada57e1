import { z } from "zod";
import { decodeId } from "#domain/ids.ts";
import { OPERATION_ACTIONS, OPERATION_IDS_MAX } from "#domain/operations.ts";
import { STATUSES } from "#domain/states.ts";
import { IdempotencyKey } from "./create-input.ts";
import { SCHEDULE_FILTERS } from "./list-input.ts";
import { listParameters, validateAfter } from "./list-parameters.ts";

const { q, from, to } = listParameters;

/** The schedules that GET /v1/schedules finds by these parameters. */
const FilterInput = z
  .strictObject(
    {
      status: z
        .array(z.enum(STATUSES, `must be one of ${STATUSES.join(", ")}`), "must be an array of statuses")
        .min(1, "must name at least one status")
        .optional()
        .describe("Any of these statuses."),
      q: q.refine((text) => text !== "", "must not be empty"),
      from: from.describe("`fire_at` from this instant on."),
      to: to.describe("`fire_at` before this instant."),
      ...SCHEDULE_FILTERS,
    },
    "must be an object",
  )
  // A field that a program left out by mistake, such as an undefined one, must not widen what is done to all.
  .refine((filter) => Object.keys(filter).length > 0, "must have at least one field; for all schedules give all: true")
  .meta({ minProperties: 1 });

const ScheduleIdInput = z
  .string("must be the id of a schedule")
  .transform((text, context) => {
    const id = decodeId("sch", text);
    if (id !== null) return id;
    context.addIssue("must be the id of a schedule");
    return z.NEVER;
  })
  .meta({ pattern: "^sch_[0-7][0-9a-hjkmnp-tv-z]{25}$" });

/** The body of POST /v1/operations: a filter, ids, or the word `all`. */
export const OperationInput = z
  .strictObject(
    {
      action: z
        .enum(OPERATION_ACTIONS, `must be ${OPERATION_ACTIONS.join(" or ")}`)
        .describe("What is done to each schedule, as the endpoint of one does it. A replay fires now."),
      filter: FilterInput.optional().describe("All schedules that match when the operation is accepted."),
      schedules: z
        .array(ScheduleIdInput, "must be an array of ids")
        .min(1, "must have at least one id")
        .max(OPERATION_IDS_MAX, `must have at most ${OPERATION_IDS_MAX} ids`)
        .optional()
        .describe("These schedules, in place of a filter."),
      all: z
        .literal(true, "must be true")
        .optional()
        .describe("All schedules of the environment, in place of a filter."),
      idempotencyKey: IdempotencyKey.optional(),
    },
    "must be a JSON object",
  )
  .superRefine((input, context) => {
    const [first, second] = SCOPES.filter((name) => input[name] !== undefined);
    if (second) {
      context.addIssue({ code: "custom", path: [second], message: `must not be given together with ${first}` });
    } else if (!first) {
      context.addIssue({ code: "custom", path: ["schedules"], message: "or filter is required, or all: true" });
    }
  })
  .meta({ description: "One of `filter`, `schedules` and `all`." });

/** What says which schedules. */
const SCOPES = ["filter", "schedules", "all"] as const;

export type OperationInput = z.infer<typeof OperationInput>;

/** The query of GET /v1/operations. */
export const OperationListInput = z
  .strictObject({ limit: listParameters.limit, offset: listParameters.offset, after: listParameters.after })
  .superRefine((input, context) => validateAfter(input, OPERATION_ORDER, context));

export type OperationListInput = z.infer<typeof OperationListInput>;

/** The only sort order of the list of operations: accepted last, first. */
export const OPERATION_ORDER = "-operations";
