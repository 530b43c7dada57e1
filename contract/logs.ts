import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { LOG_EXAMPLE } from "./examples.ts";
import { Method, ScheduleId } from "./fields.ts";
import { LogsInput } from "./inputs/logs-input.ts";
import { ATTEMPT_FIELDS, PAGE_FIELDS, PAGE_HEADERS } from "./schedules.ts";

const LoggedAttemptAnswer = z
  .strictObject({
    schedule_id: ScheduleId.describe("The schedule that was attempted."),
    target_url: z.string().describe("Where the request went."),
    method: Method.describe("The method of the request."),
    ...ATTEMPT_FIELDS,
    late_ms: z
      .number()
      .nullable()
      .describe("`attempted_at` less the time at which this attempt was due; null where unknown."),
  })
  .meta({ id: "LoggedAttempt", description: "An attempt and its schedule." });

const LogPageAnswer = z
  .strictObject({
    items: z.array(LoggedAttemptAnswer).describe("The attempts of this page."),
    ...PAGE_FIELDS,
    retention_days: z.int().describe("The plan's retention window, days."),
  })
  .meta({ id: "LogPage", description: "One page of the delivery log." });

export const listLogs = endpoint({
  operationId: "listLogs",
  method: "GET",
  path: "/v1/logs",
  tag: "Delivery log",
  summary: "Delivery attempts across all schedules, newest first, within the plan's retention window.",
  auth: "any",
  hasEnv: true,
  query: LogsInput,
  responses: {
    200: {
      description: "One page.",
      schema: LogPageAnswer,
      example: LOG_EXAMPLE,
      headers: PAGE_HEADERS,
    },
  },
});
