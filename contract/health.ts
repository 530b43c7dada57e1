import { z } from "zod";
import { describeFault } from "#domain/database-fault.ts";
import { SHARDS } from "#domain/shard-share.ts";
import { endpoint } from "./endpoint.ts";
import { METRICS_EXAMPLE } from "./examples.ts";
import { InstantText } from "./fields.ts";
import { PunctualitySummary } from "./overview.ts";

const Check = z.enum(["ok", "unavailable"]);

const ReadinessAnswer = z
  .strictObject({
    status: z
      .enum(["ok", "degraded", "unavailable"])
      .describe("`ok` when every check is; `degraded` when it is and an operator should act all the same."),
    checks: z
      .strictObject({
        database: Check.describe("Whether the database takes writes."),
        queue: Check.describe("Whether a dispatcher had a heartbeat within 15 s."),
      })
      .describe("The individual checks."),
    reason: z
      .string()
      .optional()
      .describe(
        "Why the status is not `ok`. In fixed words, but to who has the token of `METRICS_TOKEN` or asks on the machine itself: they are told what an operator can do.",
      ),
  })
  .meta({ id: "Readiness", description: "Whether the service is ready." });

const tag = "Health";

export const getHealth = endpoint({
  operationId: "getHealth",
  method: "GET",
  path: "/healthz",
  tag,
  summary: "Whether the web process is alive. Does not access the database.",
  auth: "none",
  responses: {
    200: {
      description: "The process is alive.",
      schema: z.strictObject({ status: z.literal("ok").describe("Always `ok`.") }),
      example: { status: "ok" },
    },
    503: {
      description:
        "The process is stopping: send no more calls to it. For some seconds it still answers those that come.",
      schema: z.strictObject({ status: z.literal("stopping").describe("Always `stopping`.") }),
      example: { status: "stopping" },
    },
  },
});

export const getReadiness = endpoint({
  operationId: "getReadiness",
  method: "GET",
  path: "/readyz",
  tag,
  summary: "Whether schedules can be stored and delivered.",
  auth: "none",
  responses: {
    200: {
      description:
        "The database takes writes, and a dispatcher had a heartbeat within 15 s. `degraded`: a session has held a snapshot for ten minutes.",
      schema: ReadinessAnswer,
      example: { status: "ok", checks: { database: "ok", queue: "ok" } },
    },
    503: {
      description: "At least one check failed.",
      schema: ReadinessAnswer,
      example: {
        status: "unavailable",
        checks: { database: "unavailable", queue: "ok" },
        reason: describeFault("disk_full"),
      },
    },
  },
});

export const MetricsAnswer = z
  .strictObject({
    dispatchers: z
      .array(
        z.strictObject({
          id: z.uuid().describe("Identifies the process; new at each start."),
          host: z.string().describe("The host that it runs on."),
          pid: z.int().describe("Its process id on the host."),
          version: z.string().describe("The version of its code."),
          started_at: InstantText.describe("When it started."),
          beat_at: InstantText.describe("Its last heartbeat."),
          beat_age_ms: z.int().describe("Time since the last heartbeat, ms."),
          alive: z.boolean().describe("Whether the last heartbeat was within 15 s."),
          skew_ms: z
            .number()
            .nullable()
            .describe("How far its clock is ahead of the database's, ms; null until measured."),
          shards: z.int().describe(`Number of shards that it owns, of ${SHARDS}.`),
        }),
      )
      .describe("Dispatchers with a heartbeat within an hour, except those that were shut down."),
    queue: z
      .strictObject({
        due: z.int().describe("Due and not yet claimed, without accounts that are not active."),
        firing: z.int().describe("Being attempted now."),
        scheduled: z.int().describe("Waiting for their first attempt."),
        failed: z.int().describe("Waiting for a retry."),
        oldest_due_ms: z.int().describe("How long the oldest due schedule has been due, ms; 0 when none is."),
        estimated: z.boolean().describe("Whether a count above 10,000 is an estimate; `due` is capped at 20,000."),
      })
      .describe("Schedules that wait, of all accounts."),
    snapshot: z
      .strictObject({
        held_ms: z
          .int()
          .nullable()
          .describe("For how long, ms; 0 when nobody holds one, null where the database does not tell."),
        transactions: z.int().describe("How many transactions began since."),
      })
      .describe("The oldest snapshot that is held in the database: no row that died since can be removed."),
    punctuality: PunctualitySummary.describe("As `/v1/status/punctuality` shows it, without histogram and series."),
  })
  .meta({ id: "Metrics", description: "Figures of the whole service." });

export const getMetrics = endpoint({
  operationId: "getMetrics",
  method: "GET",
  path: "/metricsz",
  tag,
  summary: "Figures of the whole service, for its operator.",
  description: `With \`?format=prometheus\`, or \`Accept: text/plain\`, as Prometheus text. No authentication when the base URL is plain
http; over https it requires \`Authorization: Bearer <METRICS_TOKEN>\`. At most one second old.`,
  auth: "none",
  query: z.strictObject({
    format: z
      .enum(["json", "prometheus"], "must be json or prometheus")
      .optional()
      .describe("The response format; JSON unless `Accept` says otherwise."),
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
