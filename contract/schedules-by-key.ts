import { endpoint, type ResponseSpec } from "./endpoint.ts";
import { CREATED_EXAMPLE } from "./examples.ts";
import { ScheduleId } from "./fields.ts";
import { PutInput } from "./inputs/create-input.ts";
import { SCHEDULE_EXAMPLE, ScheduleAnswer } from "./schedule-answer.ts";
import { CANCELLED, CreatedAnswer } from "./schedules.ts";

const tag = "Schedules";

const PutAnswer = CreatedAnswer.omit({ replayed: true, mismatch: true })
  .extend({
    replaces: ScheduleId.nullable().describe("The schedule that had the key before, and has lost it to this one."),
  })
  .meta({ id: "PutSchedule", description: "The response to storing a schedule under a key." });

const { replayed, mismatch, ...stored } = CREATED_EXAMPLE;

const STORED = (description: string) =>
  ({ description, schema: PutAnswer, example: { ...stored, replaces: null } }) satisfies ResponseSpec;

export const putScheduleByKey = endpoint({
  operationId: "putScheduleByKey",
  method: "PUT",
  path: "/v1/schedules/by-key/{key}",
  tag,
  summary: "Create a schedule, or replace the request of the one that has this key.",
  description:
    "While the schedule with this key is `scheduled`, its request, its options and its time are replaced; once this is answered, the former request is never sent. What is left out has its default, not what it was. A new schedule takes the key of one that has ended, and of one that waits for a retry, whose retries end then; `replaces` names it. While an attempt is in progress nothing is changed: `CONFLICT`, and `Retry-After` says when to try again. Only a new schedule counts in the quota. With `fireIn` and `maxDelay` it is a debounce: each call puts the schedule off, and never beyond `maxDelay` after its creation.",
  auth: "any",
  hasEnv: true,
  body: PutInput,
  bodyExample: {
    targetUrl: "https://example.com/hook",
    fireIn: "30s",
    maxDelay: "10m",
    payload: '{"cart":"1234"}',
    headers: { "Content-Type": "application/json" },
  },
  responses: {
    201: STORED("A new schedule has the key."),
    200: STORED("The schedule with this key has the new request and time."),
  },
  errors: ["CONFLICT", "QUOTA_EXCEEDED", "PAYLOAD_TOO_LARGE"],
});

export const getScheduleByKey = endpoint({
  operationId: "getScheduleByKey",
  method: "GET",
  path: "/v1/schedules/by-key/{key}",
  tag,
  summary: "Get the schedule that has this key.",
  auth: "any",
  hasEnv: true,
  responses: { 200: { description: "The schedule.", schema: ScheduleAnswer, example: SCHEDULE_EXAMPLE } },
  errors: ["NOT_FOUND"],
});

export const cancelScheduleByKey = endpoint({
  operationId: "cancelScheduleByKey",
  method: "DELETE",
  path: "/v1/schedules/by-key/{key}",
  tag,
  summary: "Cancel the schedule that has this key.",
  description: "It keeps the key until a PUT gives it to another one.",
  auth: "any",
  hasEnv: true,
  responses: { 200: CANCELLED },
  errors: ["NOT_FOUND", "CONFLICT"],
});
