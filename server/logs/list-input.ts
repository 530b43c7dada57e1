import { z } from "zod";
import { CODES } from "#db/queries/search/list-attempts.ts";
import { decodeId } from "#domain/ids.ts";
import { listParameters, validateAfter } from "../lists/parameters.ts";

/** The only sort order of the log. */
export const LOG_ORDER = "-attempted_at";

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
  code: z
    .enum(CODES, `must be one of ${CODES.join(", ")}`)
    .optional()
    .describe("The class of the status code; `none` when there was no response."),
});

/** The query of GET /v1/logs. `from` (included) and `to` (excluded) bound `attempted_at`; `schedule_id` becomes a UUID. */
export const LogsInput = LogParameters.superRefine((input, context) => validateAfter(input, LOG_ORDER, context));

/** The same for the page of the log. Its cursors name no filters, because a range such as the last hour moves. */
export const LogPageInput = LogParameters.superRefine((input, context) =>
  validateAfter(input, LOG_ORDER, context, { comparesFilters: false }),
);

export type LogsInput = z.infer<typeof LogsInput>;
