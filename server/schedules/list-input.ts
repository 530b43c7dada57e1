import { z } from "zod";
import { type ScheduleStatus, STATUSES, type Status } from "#domain/states.ts";
import { didYouMean } from "../input/did-you-mean.ts";
import { listParameters, validateAfter } from "../lists/parameters.ts";

/** One of the statuses or several; what people write for one that is called otherwise here is named. */
function readStatuses(list: string, context: z.RefinementCtx): ScheduleStatus[] {
  const written = list.split(",");
  const known = written.filter((one): one is ScheduleStatus => STATUSES.some((status) => status === one));
  if (known.length === written.length) return known;
  const unknown = written.find((one) => !known.some((status) => status === one)) ?? "";
  const meant = Object.hasOwn(OTHER_STATUSES, unknown.trim().toLowerCase())
    ? OTHER_STATUSES[unknown.trim().toLowerCase()]
    : didYouMean(unknown, STATUSES);
  const question = meant === undefined ? "" : `; did you mean ${meant}?`;
  context.addIssue(`must be one or several of ${STATUSES.join(", ")}, separated by commas${question}`);
  return z.NEVER;
}

const OTHER_STATUSES: Record<string, ScheduleStatus> = {
  ...{ pending: "scheduled", queued: "scheduled", waiting: "scheduled", active: "scheduled" },
  ...{ sending: "firing", running: "firing", processing: "firing", in_progress: "firing" },
  ...{
    success: "succeeded",
    successful: "succeeded",
    delivered: "succeeded",
    sent: "succeeded",
    completed: "succeeded",
  },
  ...{ retrying: "failed", error: "failed", exhausted: "dead", canceled: "cancelled", deleted: "cancelled" },
};

/** The query of GET /v1/schedules. `from` (included) and `to` (excluded) bound `fire_at`. */
export const ListInput = z
  .strictObject({
    ...listParameters,
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
      .enum(["-created_at", "fire_at", "-fire_at"], "must be -created_at, fire_at or -fire_at")
      .default("-created_at")
      .describe("By what the list is sorted; a minus means the last first. Ties are sorted by id."),
  })
  .superRefine((input, context) => validateAfter(input, input.sort, context));

export type ListInput = z.infer<typeof ListInput>;
