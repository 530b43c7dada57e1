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
    period: z.enum(PERIODS).describe("The period that was asked for."),
    active_schedules: z.int().describe("Schedules that are scheduled, firing or failed now."),
    success_rate: z.number().min(0).max(1).describe("2xx among attempts with a known outcome; 0 when there is none."),
    offset_ms: z
      .strictObject({
        p50: z.int().describe("The median."),
        p95: z.int().describe("The 95th percentile."),
        min: z.int().describe("The smallest."),
        max: z.int().describe("The largest."),
      })
      .describe("How late schedules fired, ms; 0 when none did."),
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
      .describe("The period in buckets, empty ones too."),
    needs_attention: z
      .strictObject({
        failed: z.int().describe("Schedules that wait for a retry, and were attempted in the period."),
        due_soon: z.int().describe("Schedules due within an hour."),
        dead: z.int().describe("Schedules that were given up in the period."),
      })
      .describe("What somebody may want to look at."),
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
    grace_limit: z.int().describe("The quota and a tenth more, rounded down."),
    over_limit: z.boolean().describe("True within that tenth."),
  })
  .meta({ id: "Usage", description: "The quota of a month, and what is used of it." });

export const PunctualityAnswer = z
  .strictObject({
    window: z.literal("24h").describe("What the figures cover."),
    sent: z.int().describe("Schedules whose first attempt sent its request."),
    on_time_rate: z.number().min(0).max(1).describe("The part of them that was on time; 0 when there were none."),
    on_time_within_ms: z.int().describe("How late is still on time."),
    offset_ms: z
      .strictObject({
        p50: z.int().min(0).describe("The median."),
        p95: z.int().min(0).describe("The 95th percentile."),
      })
      .describe("How late they were, ms; early ones count as 0."),
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
  description:
    "Live schedules, by their first attempt; those held back by their own account are left out. Computed every 30 s.",
  auth: "none",
  responses: {
    200: {
      description: "The figures.",
      schema: PunctualityAnswer,
      example: PUNCTUALITY_EXAMPLE,
      headers: cacheHeaders(30),
    },
    304: { description: "As the caller knows it.", schema: null, headers: cacheHeaders(30) },
  },
  requestHeaders: IF_NONE_MATCH,
  errors: ["UNAVAILABLE"],
});
