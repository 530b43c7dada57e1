import { z } from "zod";
import { PERIODS } from "#domain/overview.ts";
import { PLAN_NAMES } from "#domain/plans.ts";
import { endpoint } from "./endpoint.ts";
import { OVERVIEW_EXAMPLE, PUNCTUALITY_EXAMPLE, USAGE_EXAMPLE } from "./examples.ts";
import { InstantText, OperationId } from "./fields.ts";
import { cacheHeaders, IF_NONE_MATCH } from "./headers.ts";
import { OverviewInput } from "./inputs/overview-input.ts";

/** The most incidents and hosts of an answer. */
export const INCIDENTS_MAX = 50;
export const HOSTS_MAX = 100;

const OUTCOMES = {
  code_2xx: z.int().describe("Attempts that were delivered. Each ended its schedule."),
  code_3xx: z.int().describe("Attempts that were answered with a redirect."),
  code_4xx: z.int().describe("Attempts that were answered with 400 to 499."),
  code_5xx: z.int().describe("Attempts that were answered with 500 to 599."),
  code_none: z.int().describe("Attempts without an answer."),
  interrupted: z.int().describe("Attempts of which nobody knows whether the target was reached."),
};

const IncidentAnswer = z.strictObject({
  host: z.string().describe("Host of the targets, with its port unless that is the scheme's own."),
  code: z.int().nullable().describe("The last status code of each; null without an answer."),
  class: z.string().describe("Its class, such as `5xx`; `none` without an answer."),
  error: z.string().nullable().describe("The `last_error` of the one attempted last that has one."),
  dead: z.int().describe("Dead schedules that were neither replayed nor cloned."),
  retrying: z.int().describe("Schedules that wait for a retry."),
  replays_delivered: z.int().describe("Dead schedules of which a copy was delivered since."),
  replays_open: z.int().describe("Dead schedules of which a copy has not ended yet."),
  from: InstantText.describe("Their earliest `fire_at`, as `from` of `/v1/schedules` takes it."),
  to: InstantText.describe("A millisecond after their latest `fire_at`, as `to` takes it."),
  next_attempt_at: InstantText.nullable().describe("When the first retry is due; null where none is."),
  operation_id: OperationId.nullable().describe("The operation that replayed some of them last."),
});

const OverviewAnswer = z
  .strictObject({
    period: z
      .enum(PERIODS)
      .describe("The requested period; for a range, the shortest that is as long, or the longest."),
    from: InstantText.describe("When the first bucket begins."),
    to: InstantText.describe("When the last bucket ends. All are equally long."),
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
      .describe("How late the schedules in the histogram were, ms; 0 when it is empty."),
    recent_volume: z.int().describe("Attempts in the period."),
    histogram: z
      .array(
        z.strictObject({
          ms: z.int().describe("An offset, ms: exact below 100, within 2 % above. Negative when early."),
          count: z.int().min(1).describe("Schedules that fired with this offset."),
        }),
      )
      .describe("The schedules that fired, except those that were to fire at once, by how late they were, ascending."),
    series: z
      .array(
        z.strictObject({
          t: InstantText.describe("When the bucket begins."),
          count: z.int().describe("Schedules of the histogram that fired in this bucket."),
          p50: z.int().nullable().describe("Their median offset, ms; null when none fired."),
          p95: z.int().nullable().describe("The 95th percentile of their offsets, ms; null when none fired."),
        }),
      )
      .describe("The buckets of the period, including empty ones."),
    outcomes: z
      .array(z.strictObject({ t: InstantText.describe("When the bucket begins."), ...OUTCOMES }))
      .describe("How attempts ended, in the buckets of `series`."),
    ended: z
      .strictObject({
        delivered: z.int().describe("Schedules that were delivered, at whichever attempt."),
        dead: z.int().describe("Schedules that died."),
        success_rate: z.number().min(0).max(1).describe("Fraction of `delivered` among both; 0 when none ended."),
      })
      .describe("Schedules that ended in the period."),
    incidents: z
      .array(IncidentAnswer)
      .max(INCIDENTS_MAX)
      .describe("Dead and retrying schedules by host, answer and time, those with the most dead ones first."),
    hosts: z
      .array(
        z.strictObject({
          host: z.string().describe("As in `incidents`; `other` for all beyond the first 100 of an hour."),
          attempts: z.int().describe("Attempts in the period."),
          ...OUTCOMES,
          dead: z.int().describe("Schedules that died."),
          last_error: z.string().nullable().describe("First line of the newest error text; null where all were empty."),
        }),
      )
      .max(HOSTS_MAX)
      .describe("How the attempts to each host ended, those with the most dead schedules and failures first."),
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
    limits: z
      .strictObject({
        bulk_items: z.int().min(1).describe("Schedules in one call of `POST /v1/schedules/bulk`."),
        payload_bytes: z.int().min(1).describe("Bytes of one payload, in UTF-8."),
        requests_per_minute: z.int().min(1).describe("API requests of the account in a minute."),
      })
      .describe("What the plan allows for a call, of either environment."),
  })
  .meta({ id: "Usage", description: "The usage and quota of a month." });

export const PunctualitySummary = z.strictObject({
  window: z.literal("24h").describe("What the figures cover."),
  sent: z.int().describe("Schedules whose first attempt sent its request."),
  on_time_rate: z.number().min(0).max(1).describe("The fraction of `sent` that was on time; 0 when `sent` is 0."),
  on_time_within_ms: z.int().describe("How late is still on time."),
  offset_ms: z
    .strictObject({
      p50: z.int().min(0).describe("The median."),
      p95: z.int().min(0).describe("The 95th percentile."),
    })
    .describe("How late they were, ms; early ones count as 0."),
  updated_at: InstantText.describe("When the figures were computed."),
});

const PunctualityAnswer = PunctualitySummary.extend({
  histogram: z
    .array(
      z.strictObject({
        ms: z.int().min(0).describe("How late, ms: exact below 100, within 2 % above; early ones are 0."),
        count: z.int().min(1).describe("Schedules that were so late."),
      }),
    )
    .describe("The sent schedules by how late they were, ascending."),
  series: z
    .array(
      z.strictObject({
        t: InstantText.describe("When the quarter of an hour begins."),
        count: z.int().describe("Schedules that fired in it."),
        p50: z.int().min(0).nullable().describe("The median of how late they were, ms; null when none fired."),
        p95: z.int().min(0).nullable().describe("The 95th percentile of how late they were, ms; null when none fired."),
      }),
    )
    .length(96)
    .describe("The day in quarters of an hour, the current one included, empty ones too."),
}).meta({ id: "Punctuality", description: "How punctual the whole service was." });

const tag = "Overview and usage";

export const getOverview = endpoint({
  operationId: "getOverview",
  method: "GET",
  path: "/v1/overview",
  tag,
  summary: "Figures of the last day, week or month, or of a time range.",
  description: `The period is the buckets of its series, the current one included: 24 hours, 28 times 6 hours or 30 days, in UTC,
as many of them as lie in the plan's retention window. A range is taken in whole hours, cut to that window and to the current hour, in
at most 62 buckets; the first of them may begin earlier. One of which nothing is kept is refused. Percentiles are exact below 100 ms and within 2 % above. Schedules whose
\`fire_at\` is their own creation or a move to now could not have been sent earlier, and are in no figure of how late requests were. Schedules are in
one incident while their host and last answer are the same, and no hour passes without one that was due; they are those of
\`GET /v1/schedules?status=dead,failed\` with its \`host\`, \`code\` (\`none\` for null), \`from\` and \`to\`.`,
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
    "First attempts of live schedules, except those delayed by their own account, and those whose `fire_at` is their own creation or a move to now: these could not have been sent earlier. Computed every 30 s.",
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
