import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { METRICS_EXAMPLE } from "./examples.ts";
import { InstantText } from "./fields.ts";
import { PunctualityAnswer } from "./overview.ts";

const Check = z.enum(["ok", "unavailable"]);

const ReadinessAnswer = z
  .strictObject({ status: Check, checks: z.strictObject({ database: Check, queue: Check }) })
  .meta({ id: "Readiness" });

const tag = "Health";

export const getHealth = endpoint({
  operationId: "getHealth",
  method: "GET",
  path: "/healthz",
  tag,
  summary: "Whether the web process lives; touches nothing.",
  auth: "none",
  answers: {
    200: { description: "It lives.", schema: z.strictObject({ status: z.literal("ok") }), example: { status: "ok" } },
  },
});

export const getReadiness = endpoint({
  operationId: "getReadiness",
  method: "GET",
  path: "/readyz",
  tag,
  summary: "Whether schedules are stored and delivered.",
  auth: "none",
  answers: {
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
          id: z.uuid(),
          host: z.string(),
          pid: z.int(),
          version: z.string(),
          started_at: InstantText,
          beat_at: InstantText,
          beat_age_ms: z.int(),
          alive: z.boolean().describe("Whether it gave a sign of life within 15 s."),
          skew_ms: z
            .number()
            .nullable()
            .describe("How far its clock is ahead of the database's; null until it is known."),
          shards: z.int().describe("How many of the 64 shards it delivers for."),
        }),
      )
      .describe("Those that gave a sign of life within an hour and did not stop in good order."),
    queue: z.strictObject({
      due: z.int().describe("Waiting although their time has come, those of accounts that are not active left out."),
      firing: z.int(),
      scheduled: z.int(),
      failed: z.int(),
      oldest_due_ms: z.int().describe("How long the oldest of those that are due has been; 0 when none is."),
      estimated: z.boolean().describe("Whether a figure was too large to be counted (10,000; due: 20,000, its most)."),
    }),
    punctuality: PunctualityAnswer,
  })
  .meta({ id: "Metrics" });

export const getMetrics = endpoint({
  operationId: "getMetrics",
  method: "GET",
  path: "/metricsz",
  tag,
  summary: "Figures of the whole service, for its operator.",
  description: `With \`?format=prometheus\`, or \`Accept: text/plain\`, as Prometheus text. Open where the service is reached over plain
http; over https it needs \`Authorization: Bearer <METRICS_TOKEN>\`. At most a second old.`,
  auth: "none",
  query: z.strictObject({ format: z.enum(["json", "prometheus"], "must be json or prometheus").optional() }),
  answers: {
    200: {
      description: "The figures.",
      schema: MetricsAnswer,
      example: METRICS_EXAMPLE,
      textExample: "# TYPE stopwatch_queue_due gauge\nstopwatch_queue_due 0\n",
    },
  },
  errors: ["UNAUTHORIZED", "RATE_LIMITED", "UNAVAILABLE"],
});
