import { z } from "zod";
import { PERIODS } from "#domain/overview.ts";

/** The query of GET /v1/overview. */
export const OverviewInput = z.strictObject({
  period: z
    .enum(PERIODS, `must be one of ${PERIODS.join(", ")}`)
    .default("24h")
    .describe("How far back to look."),
});
