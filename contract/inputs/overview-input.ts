import { z } from "zod";
import { PERIODS } from "#domain/overview.ts";
import { listParameters } from "./list-parameters.ts";

/** The query of GET /v1/overview: a period, or the range from `from` (included) to `to` (excluded). */
export const OverviewInput = z
  .strictObject({
    period: z
      .enum(PERIODS, `must be one of ${PERIODS.join(", ")}`)
      .optional()
      .meta({ default: PERIODS[0], description: "How far back to look." }),
    from: listParameters.from.describe("Start of a time range in place of `period`; its hour is included."),
    to: listParameters.to.describe("End of the time range; now without one."),
  })
  .superRefine(({ period, from, to }, context) => {
    const problem = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    if (period && (from ?? to)) problem("period", "cannot be combined with from or to");
    if (from && to && from >= to) problem("to", "must be after from");
  });

export type OverviewInput = z.infer<typeof OverviewInput>;
