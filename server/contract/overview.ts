import { z } from "zod";
import { PERIODS } from "#domain/overview.ts";
import { PLAN_NAMES } from "#domain/plans.ts";
import { OverviewInput } from "../overview/overview-input.ts";
import { endpoint } from "./endpoint.ts";
import { OVERVIEW_EXAMPLE, PUNCTUALITY_EXAMPLE, USAGE_EXAMPLE } from "./examples.ts";
import { InstantText } from "./fields.ts";
import { cacheHeaders, IF_NONE_MATCH } from "./headers.ts";

const OverviewAnswer = z
  .strictObject({
    period: z.enum(PERIODS).describe("The requested period."),
    active_schedules: z.int().describe("Schedules that are scheduled, firing or failed now."),
    success_rate: z
      .number()
      .min(0)
      .max(1)
      .describe("Fraction of 2xx among attempts with a known outcome; 0 without attempts."),
    offset_ms: z
      .strictObject({
        p50: z.int().describe("The median."),
        p95: z.int().describe("The 95th percentile."),
        min: z.int().describe("The smallest."),
        max: z.int().describe("The largest."),
      })
      .describe("Lateness of schedules that fired, ms; 0 when none did."),
    recent_volume: z.int().describe("Attempts in the period."),
    series: z
      .array(
        z.strictObject({
          t: InstantText.describe("When the bucket begins."),
          count: z.int().describe("Schedules that fired in this bucket."),
          p50: z.int().nullable().describe("Their median offset, ms; null when none fired."),
          p95: z.int().nullable().describe("The 95th percentile of their offsets, ms; null when none fired."),
        }),
      )
      .describe("The buckets of the period, including empty ones."),
    needs_attention: z
      .strictObject({
        failed: z.int().describe("Schedules that were attempted in the period and are waiting for a retry."),
        due_soon: z.int().describe("Schedules due within an hour."),
        dead: z.int().describe("Schedules that died in the period."),
      })
      .describe("Schedules that may need attention."),
  })
  .meta({ id: "Overview", description: "Figures of one environment over a period." });

const UsageAnswer = z
  .strictObject({
    period: z
      .string()
      .regex(/^\d{6}$/)
      .describe("The month, as YYYYMM."),
    plan: z.enum(PLAN_NAMES).describe("The plan of the account."),
    scheduled: z.int().describe("Schedules created in the month."),
    limit: z.int().describe("The monthly quota."),
    grace_limit: z.int().describe("110 % of the quota, rounded down."),
    over_limit: z.boolean().describe("Whether the quota is exceeded, within the grace."),
  })
  .meta({ id: "Usage", description: "The usage and quota of a month." });

export const PunctualityAnswer = z
  .strictObject({
    window: z.literal("24h").describe("The period of the figures."),
    sent: z.int().describe("Schedules whose first attempt sent its request."),
    on_time_rate: z.number().min(0).max(1).describe("Fraction of them that was on time; 0 without any."),
    on_time_within_ms: z.int().describe("Maximum lateness that counts as on time, ms."),
    offset_ms: z
      .strictObject({
        p50: z.int().min(0).describe("The median."),
        p95: z.int().min(0).describe("The 95th percentile."),
      })
      .describe("Their lateness, ms; early ones count as 0."),
    updated_at: InstantText.describe("When the figures were computed."),
  })
  .meta({ id: "Punctuality", description: "How punctual the whole service was." });

const tag = "Overview and usage";

export const getOverview = endpoint({
  operationId: "getOverview",
  method: "GET",
  path: "/v1/overview",
  tag,
  summary: "Figures of the last day, week or month.",
  description: `The period is the buckets of its series, the current one included: 24 hours, 28 times 6 hours or 30 days, in UTC,
as many of them as lie in the plan's retention window. Percentiles are exact below 100 ms and within 2 % above.`,
  auth: "any",
  hasEnv: true,
  query: OverviewInput,
  responses: { 200: { description: "The figures.", schema: OverviewAnswer, example: OVERVIEW_EXAMPLE } },
});

export const getUsage = endpoint({
  operationId: "getUsage",
  method: "GET",
  path: "/v1/usage",
  tag,
  summary: "Schedules created this month (UTC), against the quota.",
  auth: "any",
  hasEnv: true,
  responses: { 200: { description: "The usage.", schema: UsageAnswer, example: USAGE_EXAMPLE } },
});

export const getPunctuality = endpoint({
  operationId: "getPunctuality",
  method: "GET",
  path: "/v1/status/punctuality",
  tag,
  summary: "How punctual the service was in the last 24 hours, over all accounts.",
  description: "First attempts of live schedules, except those delayed by their own account. Computed every 30 s.",
  auth: "none",
  responses: {
    200: {
      description: "The figures.",
      schema: PunctualityAnswer,
      example: PUNCTUALITY_EXAMPLE,
      headers: cacheHeaders(30),
    },
    304: { description: "Not modified.", schema: null, headers: cacheHeaders(30) },
  },
  requestHeaders: IF_NONE_MATCH,
  errors: ["UNAVAILABLE"],
});
