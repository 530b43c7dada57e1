import { z } from "zod";
import { PERIODS } from "#domain/overview.ts";
import { OverviewInput } from "../overview/overview-input.ts";
import { endpoint } from "./endpoint.ts";
import { OVERVIEW_EXAMPLE, PUNCTUALITY_EXAMPLE, USAGE_EXAMPLE } from "./examples.ts";
import { InstantText } from "./fields.ts";
import { cacheHeaders, IF_NONE_MATCH } from "./headers.ts";

const OverviewAnswer = z
  .strictObject({
    period: z.enum(PERIODS),
    active_schedules: z.int().describe("Schedules that are scheduled, firing or failed now."),
    success_rate: z.number().min(0).max(1).describe("2xx among attempts with a known outcome; 0 when there is none."),
    offset_ms: z.strictObject({ p50: z.int(), p95: z.int(), min: z.int(), max: z.int() }),
    recent_volume: z.int().describe("Attempts in the period."),
    series: z.array(
      z.strictObject({
        t: InstantText,
        count: z.int().describe("Schedules that fired in this bucket."),
        p50: z.int().nullable(),
        p95: z.int().nullable(),
      }),
    ),
    needs_attention: z.strictObject({ failed: z.int(), due_soon: z.int(), dead: z.int() }),
  })
  .meta({ id: "Overview" });

const UsageAnswer = z
  .strictObject({
    period: z
      .string()
      .regex(/^\d{6}$/)
      .describe("The month, as YYYYMM."),
    plan: z.enum(["free", "indie"]),
    scheduled: z.int(),
    limit: z.int(),
    grace_limit: z.int().describe("The quota and a tenth more, rounded down."),
    over_limit: z.boolean().describe("True within that tenth."),
  })
  .meta({ id: "Usage" });

export const PunctualityAnswer = z
  .strictObject({
    window: z.literal("24h"),
    sent: z.int(),
    on_time_rate: z.number().min(0).max(1),
    on_time_within_ms: z.int(),
    offset_ms: z.strictObject({ p50: z.int().min(0), p95: z.int().min(0) }),
    updated_at: InstantText,
  })
  .meta({ id: "Punctuality" });

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
  answers: { 200: { description: "The figures.", schema: OverviewAnswer, example: OVERVIEW_EXAMPLE } },
});

export const getUsage = endpoint({
  operationId: "getUsage",
  method: "GET",
  path: "/v1/usage",
  tag,
  summary: "Schedules created this month (UTC), against the quota.",
  auth: "any",
  hasEnv: true,
  answers: { 200: { description: "The usage.", schema: UsageAnswer, example: USAGE_EXAMPLE } },
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
  answers: {
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
