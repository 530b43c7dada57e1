import { z } from "zod";
import { SHARDS } from "#domain/shard-share.ts";
import { endpoint } from "./endpoint.ts";
import { METRICS_EXAMPLE } from "./examples.ts";
import { InstantText } from "./fields.ts";
import { PunctualityAnswer } from "./overview.ts";

const Check = z.enum(["ok", "unavailable"]);

const ReadinessAnswer = z
  .strictObject({
    status: Check.describe("`ok` when every check is."),
    checks: z
      .strictObject({
        database: Check.describe("Whether the database answers."),
        queue: Check.describe("Whether a dispatcher gave a sign of life within 15 s."),
      })
      .describe("What was looked at."),
  })
  .meta({ id: "Readiness", description: "Whether the service does its work." });

const tag = "Health";

export const getHealth = endpoint({
  operationId: "getHealth",
  method: "GET",
  path: "/healthz",
  tag,
  summary: "Whether the web process lives; touches nothing.",
  auth: "none",
  responses: {
    200: {
      description: "It lives.",
      schema: z.strictObject({ status: z.literal("ok").describe("It lives.") }),
      example: { status: "ok" },
    },
  },
});

export const getReadiness = endpoint({
  operationId: "getReadiness",
  method: "GET",
  path: "/readyz",
  tag,
  summary: "Whether schedules are stored and delivered.",
  auth: "none",
  responses: {
    200: {
      description: "The database answers, and a dispatcher gave a sign of life within 15 s.",
      schema: ReadinessAnswer,
      example: { status: "ok", checks: { database: "ok", queue: "ok" } },
    },
    503: {
      description: "One of them does not.",
      schema: ReadinessAnswer,
      example: { status: "unavailable", checks: { database: "ok", queue: "unavailable" } },
    },
  },
});

export const MetricsAnswer = z
  .strictObject({
    dispatchers: z
      .array(
        z.strictObject({
          id: z.uuid().describe("The process, anew at each start."),
          host: z.string().describe("The machine that it runs on."),
          pid: z.int().describe("Its number there."),
          version: z.string().describe("The version of its code."),
          started_at: InstantText.describe("When it started."),
          beat_at: InstantText.describe("When it last gave a sign of life."),
          beat_age_ms: z.int().describe("How long ago that was."),
          alive: z.boolean().describe("Whether it gave a sign of life within 15 s."),
          skew_ms: z
            .number()
            .nullable()
            .describe("How far its clock is ahead of the database's; null until it is known."),
          shards: z.int().describe(`How many of the ${SHARDS} shards it delivers for.`),
        }),
      )
      .describe("Those that gave a sign of life within an hour and did not stop in good order."),
    queue: z
      .strictObject({
        due: z.int().describe("Waiting although their time has come, those of accounts that are not active left out."),
        firing: z.int().describe("Being attempted now."),
        scheduled: z.int().describe("Waiting for their first attempt."),
        failed: z.int().describe("Waiting for a retry."),
        oldest_due_ms: z.int().describe("How long the oldest of those that are due has been; 0 when none is."),
        estimated: z
          .boolean()
          .describe("Whether a figure was too large to be counted (10,000; due: 20,000, its most)."),
      })
      .describe("Schedules that wait, of all accounts."),
    punctuality: PunctualityAnswer.describe("As `/v1/status/punctuality` shows it."),
  })
  .meta({ id: "Metrics", description: "Figures of the whole service." });

export const getMetrics = endpoint({
  operationId: "getMetrics",
  method: "GET",
  path: "/metricsz",
  tag,
  summary: "Figures of the whole service, for its operator.",
  description: `With \`?format=prometheus\`, or \`Accept: text/plain\`, as Prometheus text. Open where the service is reached over plain
http; over https it needs \`Authorization: Bearer <METRICS_TOKEN>\`. At most a second old.`,
  auth: "none",
  query: z.strictObject({
    format: z
      .enum(["json", "prometheus"], "must be json or prometheus")
      .optional()
      .describe("The form of the answer; JSON unless `Accept` says otherwise."),
  }),
  responses: {
    200: {
      description: "The figures.",
      schema: MetricsAnswer,
      example: METRICS_EXAMPLE,
      textExample: "# TYPE stopwatch_queue_due gauge\nstopwatch_queue_due 0\n",
    },
  },
  errors: ["UNAUTHORIZED", "RATE_LIMITED", "UNAVAILABLE"],
});
