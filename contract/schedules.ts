import { z } from "zod";
import { ATTEMPT_CARRIERS } from "#domain/attempt-outcome.ts";
import { endpoint, type ResponseSpec } from "./endpoint.ts";
import { ATTEMPTS_EXAMPLE, BULK_EXAMPLE, CREATED_EXAMPLE } from "./examples.ts";
import { InstantText, ScheduleId, Status } from "./fields.ts";
import { IDEMPOTENCY_FIELDS, IDEMPOTENCY_HEADERS, IDEMPOTENCY_KEY_HEADER } from "./idempotency.ts";
import { BulkInput, ITEM_CODES } from "./inputs/bulk-input.ts";
import { CreateInput } from "./inputs/create-input.ts";
import { ListInput } from "./inputs/list-input.ts";
import { CloneInput, ReplayInput } from "./inputs/repeat-input.ts";
import { RescheduleInput } from "./inputs/reschedule-input.ts";
import { SCHEDULE_EXAMPLE, ScheduleAnswer } from "./schedule-answer.ts";

/** Present in answers to calls that gave a local time. */
const CLOCK_CHANGE = {
  clock_change: z
    .enum(["gap", "repeat"])
    .nullable()
    .optional()
    .describe(
      "With `fireAtLocal` alone: whether the clocks of the zone skip (`gap`) or repeat (`repeat`) it; null when neither.",
    ),
};

export const CreatedAnswer = z
  .strictObject({
    id: ScheduleId.describe("The schedule."),
    fire_at: InstantText.describe("When it is to be sent, rounded up to a millisecond."),
    status: Status.describe("The status of the schedule; `scheduled` unless it existed already."),
    over_limit: z.boolean().describe("Whether the monthly quota is exceeded and the schedule was accepted as grace."),
    ...CLOCK_CHANGE,
    ...IDEMPOTENCY_FIELDS,
  })
  .meta({ id: "CreatedSchedule", description: "The response to creating a schedule." });

const RescheduledAnswer = ScheduleAnswer.extend(CLOCK_CHANGE).meta({
  id: "RescheduledSchedule",
  description: "The response to moving a schedule.",
});

const ItemIndex = z.int().min(0).describe("Position in the request.");

const BulkAnswer = z
  .strictObject({
    accepted: z
      .array(
        z.strictObject({
          index: ItemIndex,
          id: ScheduleId.describe("The schedule."),
          fire_at: InstantText.describe("When it is to be sent, rounded up to a millisecond."),
          status: Status.describe("The status of the schedule; `scheduled` unless it existed already."),
          ...CLOCK_CHANGE,
          replayed: z
            .literal(true)
            .optional()
            .describe("The item's idempotency key was known already; this is the schedule that has it."),
          mismatch: z
            .literal(true)
            .optional()
            .describe("The item differs from the request that was stored under its idempotency key."),
        }),
      )
      .describe("Items that have a schedule now, in the order of the request."),
    rejected: z
      .array(
        z.strictObject({
          index: ItemIndex,
          code: z.enum(ITEM_CODES).describe("Why, for programs."),
          message: z.string().describe("Why, for people; it may change."),
        }),
      )
      .describe("Items of which nothing was stored, in the order of the request."),
  })
  .meta({ id: "BulkResult", description: "The result of each item of a batch." });

/** Time breakdown of one attempt, ms. */
const TimingAnswer = z
  .strictObject({
    late: z.number().nullable().describe("`attempted_at` less the time at which this attempt was due."),
    claim: z.number().nullable().describe("Waiting for its claim in the database."),
    wait: z.number().nullable().describe("Waiting for the account's rate."),
    connect: z
      .number()
      .nullable()
      .describe("Name resolution, TCP and TLS; null on a connection that was there, and with a listener."),
    first_byte: z.number().nullable().describe("From `attempted_at` to the answer's first byte."),
  })
  .meta({ id: "AttemptTiming", description: "Where the time went, in ms; null where it does not apply." });

/** Fields of every attempt. */
export const ATTEMPT_FIELDS = {
  attempt: z.int().min(1).describe("Counts from 1."),
  status_code: z
    .int()
    .nullable()
    .describe("Null when the network failed, the target was blocked or it was interrupted."),
  latency_ms: z.int().min(0).describe("From `attempted_at` to the status line or the failure."),
  error_text: z
    .string()
    .describe(
      "The start of the target's answer to a failed attempt, decoded by its charset, or what went wrong; else empty. `[response repeated the request]` stands for 16 characters or more of payload, header values or secrets, and for a whole value of 8 or more.",
    ),
  attempted_at: InstantText.describe(
    "When the first byte of the request was sent, or when an attempt that sent none began.",
  ),
  via: z.enum(ATTEMPT_CARRIERS).nullable().describe("`listener`: to a connected listener, not to the target itself."),
};

const AttemptsAnswer = z
  .strictObject({
    items: z
      .array(
        z.strictObject({ ...ATTEMPT_FIELDS, timing: TimingAnswer.describe("Where the time of the attempt went.") }),
      )
      .describe("The attempts, oldest first."),
    next_attempt_at: InstantText.nullable().describe("When the next one is due; null when none is."),
    retention_days: z.int().describe("The plan's retention window, days."),
  })
  .meta({ id: "Attempts", description: "The attempts of one schedule." });

/** Fields of every page of a list. */
export const PAGE_FIELDS = {
  total: z.int().min(0).describe("Exact, or with `total_capped` 10,000 or what a bounded search counted."),
  total_capped: z.literal(true).optional().describe("More rows match than `total`, or may match."),
  search_capped: z
    .literal(true)
    .optional()
    .describe(
      "The search for this page ended early, after many rows: it may have few or none, and `next_cursor` goes on.",
    ),
  limit: z.int().describe("How many rows a page has at most."),
  offset: z.int().describe("Rows before this page; also counted when pages are fetched by `after`."),
  next_cursor: z
    .string()
    .nullable()
    .describe(
      "The next page, for `after`; null on the last page. Following it from the first page on meets every row once, whatever is created meanwhile.",
    ),
};

/** Headers of every page of a list. */
export const PAGE_HEADERS = {
  Link: '`rel="next"` and `rel="prev"` (RFC 8288). From offset 10,000 on, `next` holds a cursor (`after`): following it meets every row once, whatever is created meanwhile.',
};

const SchedulePageAnswer = z
  .strictObject({ items: z.array(ScheduleAnswer).describe("The schedules of this page."), ...PAGE_FIELDS })
  .meta({ id: "SchedulePage", description: "One page of a list of schedules." });

const tag = "Schedules";

/** The two success responses of endpoints that create one schedule. */
const CREATED = {
  description: "The schedule was created.",
  schema: CreatedAnswer,
  example: CREATED_EXAMPLE,
} satisfies ResponseSpec;
const REPLAYED = {
  description: "A schedule with this idempotency key exists already; this is it.",
  schema: CreatedAnswer,
  example: { ...CREATED_EXAMPLE, replayed: true },
  headers: IDEMPOTENCY_HEADERS,
} satisfies ResponseSpec;

export const createSchedule = endpoint({
  operationId: "createSchedule",
  method: "POST",
  path: "/v1/schedules",
  tag,
  summary: "Create one schedule.",
  description:
    "It takes one time: `fireAt`, an instant; `fireIn`, a duration from now by the service's clock; or `fireAtLocal` with `timezone`, a local time. What was stored under an `idempotencyKey` is compared with what is sent: target, headers and payload as they would be delivered, `fireAt` as an instant, `fireIn` as a duration, `fireAtLocal` with its zone and rule. So a repeated `fireIn` is the same request.",
  auth: "any",
  hasEnv: true,
  requestHeaders: IDEMPOTENCY_KEY_HEADER,
  body: CreateInput,
  bodyExample: {
    targetUrl: "https://example.com/hook",
    fireAt: "2031-01-01T09:00:00Z",
    payload: '{"hello":"world"}',
    headers: { "Content-Type": "application/json" },
    idempotencyKey: "order-1234",
  },
  responses: { 201: CREATED, 200: REPLAYED },
  errors: ["QUOTA_EXCEEDED", "PAYLOAD_TOO_LARGE"],
});

export const createSchedulesBulk = endpoint({
  operationId: "createSchedulesBulk",
  method: "POST",
  path: "/v1/schedules/bulk",
  tag,
  summary: "Create many schedules.",
  description:
    "Each item is validated on its own, including the quota. Of items with the same `idempotencyKey` only the first is considered; the others are rejected with `CONFLICT`. An item whose key is already known is accepted with the existing schedule and `replayed: true`. `index` is the item's position in the request. The call has at most as many items as the plan's batch size, and at most items × payload × 6 bytes by the plan's limits (2 MiB to 32 MiB); an item has at most 2 MiB.",
  auth: "any",
  hasEnv: true,
  body: BulkInput,
  bodyInDocument: BulkInput.extend({
    schedules: z.array(CreateInput).min(1).describe("The schedules to create."),
  }).meta({
    description: "At most as many items as the plan's batch size.",
  }),
  bodyList: "schedules",
  bodyExample: {
    schedules: [
      { targetUrl: "https://example.com/hook", fireAt: "2031-01-01T09:00:00Z", payload: "one" },
      { targetUrl: "https://example.com/hook", fireAt: "2001-01-01T09:00:00Z" },
      { targetUrl: "https://example.com/hook", fireIn: "5m", idempotencyKey: "order-1235" },
    ],
  },
  responses: { 200: { description: "The result of each item.", schema: BulkAnswer, example: BULK_EXAMPLE } },
  errors: ["PAYLOAD_TOO_LARGE"],
});

export const listSchedules = endpoint({
  operationId: "listSchedules",
  method: "GET",
  path: "/v1/schedules",
  tag,
  summary: "List schedules.",
  auth: "any",
  hasEnv: true,
  query: ListInput,
  responses: {
    200: {
      description: "One page.",
      schema: SchedulePageAnswer,
      example: { items: [SCHEDULE_EXAMPLE], total: 1, limit: 20, offset: 0, next_cursor: null },
      headers: PAGE_HEADERS,
    },
  },
});

export const getSchedule = endpoint({
  operationId: "getSchedule",
  method: "GET",
  path: "/v1/schedules/{id}",
  tag,
  summary: "Get one schedule.",
  auth: "any",
  hasEnv: true,
  responses: { 200: { description: "The schedule.", schema: ScheduleAnswer, example: SCHEDULE_EXAMPLE } },
  errors: ["NOT_FOUND"],
});

const WAITING = {
  status: "scheduled",
  fired_at: null,
  offset_ms: null,
  attempts: 0,
  updated_at: "2030-12-24T18:00:00.000Z",
  next_attempt_at: "2031-01-01T09:00:00.000Z",
  last_status_code: null,
};

export const rescheduleSchedule = endpoint({
  operationId: "rescheduleSchedule",
  method: "PATCH",
  path: "/v1/schedules/{id}",
  tag,
  summary: "Move a schedule, only while it is scheduled.",
  description: "It takes one time (`fireAt`, `fireIn`, or `fireAtLocal` with `timezone`), `earlyFire`, or both.",
  auth: "any",
  hasEnv: true,
  body: RescheduleInput,
  bodyExample: { fireAtLocal: "2031-01-01T10:00", timezone: "Europe/Berlin" },
  responses: {
    200: {
      description: "The schedule as it is now.",
      schema: RescheduledAnswer,
      example: { ...SCHEDULE_EXAMPLE, ...WAITING, clock_change: null },
    },
  },
  errors: ["NOT_FOUND", "CONFLICT"],
});

export const CANCELLED = {
  description: "The schedule as it is now.",
  schema: ScheduleAnswer,
  example: { ...SCHEDULE_EXAMPLE, ...WAITING, status: "cancelled", next_attempt_at: null },
} satisfies ResponseSpec;

export const cancelSchedule = endpoint({
  operationId: "cancelSchedule",
  method: "DELETE",
  path: "/v1/schedules/{id}",
  tag,
  summary: "Cancel a schedule.",
  auth: "any",
  hasEnv: true,
  responses: { 200: CANCELLED },
  errors: ["NOT_FOUND", "CONFLICT"],
});

export const fireSchedule = endpoint({
  operationId: "fireSchedule",
  method: "POST",
  path: "/v1/schedules/{id}/fire",
  tag,
  summary: "Fire a schedule now.",
  description:
    "A schedule that is `scheduled` is moved to now, as by PATCH: its rate still applies. One that is `failed` makes its next retry now and keeps `fire_at`; no retry is added. One that is due already stays as it is. Nothing counts in the quota. To send a schedule that has ended once more, replay it.",
  auth: "any",
  hasEnv: true,
  responses: {
    200: {
      description: "The schedule as it is now.",
      schema: ScheduleAnswer,
      example: { ...SCHEDULE_EXAMPLE, ...WAITING, fire_at: WAITING.updated_at, next_attempt_at: WAITING.updated_at },
    },
  },
  errors: ["NOT_FOUND", "CONFLICT"],
});

export const replaySchedule = endpoint({
  operationId: "replaySchedule",
  method: "POST",
  path: "/v1/schedules/{id}/replay",
  tag,
  summary: "Send the same request again, as a new schedule.",
  description:
    "Works from any status. Target, method, headers and payload are those of the schedule. It fires now unless a time says when. It counts in the quota, unless the schedule is `dead`.",
  auth: "any",
  hasEnv: true,
  requestHeaders: IDEMPOTENCY_KEY_HEADER,
  body: ReplayInput,
  isBodyOptional: true,
  bodyExample: { fireIn: "1h30m", idempotencyKey: "again-1234" },
  responses: { 201: CREATED, 200: REPLAYED },
  errors: ["NOT_FOUND", "CONFLICT", "QUOTA_EXCEEDED", "PAYLOAD_TOO_LARGE"],
});

export const cloneSchedule = endpoint({
  operationId: "cloneSchedule",
  method: "POST",
  path: "/v1/schedules/{id}/clone",
  tag,
  summary: "Send the request again with another payload, as a new schedule.",
  description:
    "Works from any status. Target and method are those of the schedule, and its headers unless `headers` stand in their place. With `targetUrl` it goes to another target, and has no headers but those of `headers`. It fires now unless a time says when.",
  auth: "any",
  hasEnv: true,
  requestHeaders: IDEMPOTENCY_KEY_HEADER,
  body: CloneInput,
  bodyExample: { payload: '{"hello":"again"}', fireAt: "2031-01-01T10:00:00Z" },
  responses: { 201: CREATED, 200: REPLAYED },
  errors: ["NOT_FOUND", "CONFLICT", "QUOTA_EXCEEDED", "PAYLOAD_TOO_LARGE"],
});

export const listAttempts = endpoint({
  operationId: "listAttempts",
  method: "GET",
  path: "/v1/schedules/{id}/attempts",
  tag,
  summary: "The delivery attempts of one schedule, oldest first, within the plan's retention window.",
  auth: "any",
  hasEnv: true,
  responses: { 200: { description: "The attempts.", schema: AttemptsAnswer, example: ATTEMPTS_EXAMPLE } },
  errors: ["NOT_FOUND"],
});
