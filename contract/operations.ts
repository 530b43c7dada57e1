import { z } from "zod";
import { ERROR_STATUS, type ErrorCode } from "#domain/errors.ts";
import { writeFilters } from "#domain/filters.ts";
import { LEFT_ALONE_REASONS, type LeftAloneReason, OPERATION_ACTIONS, OPERATION_STATUSES } from "#domain/operations.ts";
import { endpoint } from "./endpoint.ts";
import { InstantText, OperationId, Status } from "./fields.ts";
import { IDEMPOTENCY_FIELDS, IDEMPOTENCY_HEADERS, IDEMPOTENCY_KEY_HEADER } from "./idempotency.ts";
import { FILTERS_IN_ANSWERS } from "./inputs/filters.ts";
import { OperationInput, OperationListInput } from "./inputs/operation-input.ts";
import { PAGE_FIELDS, PAGE_HEADERS } from "./schedules.ts";

const REASONS: Record<LeftAloneReason, string> = {
  firing: "An attempt is under way.",
  succeeded: "It had been delivered already.",
  dead: "No attempt was left.",
  cancelled: "It had been cancelled already.",
  rescheduled: "It was moved after the operation was accepted, and the filter has `from` or `to`.",
  erased: "Its payload and headers were erased.",
  over_quota: "The month's quota was used up.",
  expired: "Its `expiresAt` has passed.",
  target_not_allowed: "Its target is not allowed any more.",
  payload_too_large: "Its payload is larger than the plan allows now.",
  unreadable: "Its stored request cannot be decrypted.",
  not_found: "There is no such schedule, or not any more.",
};

const LeftAlone = z
  .strictObject(
    Object.fromEntries(
      LEFT_ALONE_REASONS.map((reason) => [reason, z.int().min(1).optional().describe(REASONS[reason])]),
    ) as Record<LeftAloneReason, z.ZodOptional<z.ZodInt>>,
  )
  .meta({ id: "LeftAlone", description: "How many schedules were left as they are, by reason." });

const OperationAnswer = z
  .strictObject({
    id: OperationId.describe("Names the operation, in paths too."),
    action: z.enum(OPERATION_ACTIONS).describe("What is done to each schedule."),
    status: z
      .enum(OPERATION_STATUSES)
      .describe(
        "`running` until each schedule was processed (`done`), its owner stopped it (`stopped`) or a step failed again and again (`failed`).",
      ),
    filter: z
      .strictObject({
        status: z.array(Status).nullable().describe("Null: any."),
        q: z.string().nullable().describe("Part of the target's address, or a whole schedule id."),
        from: InstantText.nullable().describe("`fire_at` from here on."),
        to: InstantText.nullable().describe("`fire_at` before this."),
        ...FILTERS_IN_ANSWERS,
      })
      .nullable()
      .describe("Which schedules; null for those that were named."),
    total: z.int().min(0).describe("How many schedules matched when it was accepted, as the list counts them."),
    total_capped: z.literal(true).optional().describe("There were more than `total`."),
    acted: z.int().min(0).describe("Schedules that were cancelled, or that have a copy."),
    left_alone: LeftAlone.describe("Schedules that were processed and left as they are."),
    error: z
      .strictObject({
        code: z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]).describe("Why, for programs."),
        message: z.string().describe("Why, for people; it may change."),
      })
      .nullable()
      .describe("Why it failed; else null."),
    created_at: InstantText.describe("When it was accepted. What was created later is not touched."),
    updated_at: InstantText.describe("When it last made progress."),
    ended_at: InstantText.nullable().describe("Null while it is running."),
  })
  .meta({ id: "Operation", description: "Cancelling or replaying many schedules, step by step." });

const StartedAnswer = OperationAnswer.extend(IDEMPOTENCY_FIELDS).meta({
  id: "StartedOperation",
  description: "The response to starting an operation.",
});

const OPERATION_EXAMPLE = {
  id: "op_01kbm5qk4f8rz3c2x7w9v6n1ta",
  action: "cancel",
  status: "running",
  filter: {
    status: ["scheduled"],
    q: null,
    from: null,
    to: null,
    ...writeFilters({ host: "example.com" }, null),
  },
  total: 1281,
  acted: 400,
  left_alone: { firing: 2 },
  error: null,
  created_at: "2031-01-01T09:00:00.000Z",
  updated_at: "2031-01-01T09:00:00.412Z",
  ended_at: null,
};

const tag = "Operations";

export const startOperation = endpoint({
  operationId: "startOperation",
  method: "POST",
  path: "/v1/operations",
  tag,
  summary: "Cancel or replay many schedules.",
  description:
    "Acts on the named schedules, or on all that match a filter when the operation is accepted; what is created later is not touched. It is worked off in steps after the answer. Each schedule is processed on its own, as by `DELETE` or `replay` of one, under the plan and quota of that moment; a replay makes one copy of each. At most ten run at once in an environment (CONFLICT beyond), and as many are started within 24 hours as the plan allows (RATE_LIMITED beyond). Named schedules that do not exist are counted as `not_found` at once. Operations are kept for 90 days after their end; which schedules were named is not.",
  auth: "any",
  hasEnv: true,
  requestHeaders: IDEMPOTENCY_KEY_HEADER,
  body: OperationInput,
  bodyExample: { action: "cancel", filter: { status: ["scheduled"], host: "example.com" } },
  responses: {
    202: {
      description: "The operation was accepted.",
      schema: StartedAnswer,
      example: {
        ...OPERATION_EXAMPLE,
        acted: 0,
        left_alone: {},
        updated_at: OPERATION_EXAMPLE.created_at,
        replayed: false,
        mismatch: false,
      },
    },
    200: {
      description: "An operation with this idempotency key exists already; this is it.",
      schema: StartedAnswer,
      example: { ...OPERATION_EXAMPLE, replayed: true, mismatch: false },
      headers: IDEMPOTENCY_HEADERS,
    },
  },
  errors: ["CONFLICT"],
});

export const listOperations = endpoint({
  operationId: "listOperations",
  method: "GET",
  path: "/v1/operations",
  tag,
  summary: "List operations, the newest first.",
  auth: "any",
  hasEnv: true,
  query: OperationListInput,
  responses: {
    200: {
      description: "One page.",
      schema: z
        .strictObject({ items: z.array(OperationAnswer).describe("The operations of this page."), ...PAGE_FIELDS })
        .meta({ id: "OperationPage", description: "One page of a list of operations." }),
      example: { items: [OPERATION_EXAMPLE], total: 1, limit: 20, offset: 0, next_cursor: null },
      headers: PAGE_HEADERS,
    },
  },
});

export const getOperation = endpoint({
  operationId: "getOperation",
  method: "GET",
  path: "/v1/operations/{id}",
  tag,
  summary: "Get one operation, and how far it is.",
  auth: "any",
  hasEnv: true,
  responses: { 200: { description: "The operation.", schema: OperationAnswer, example: OPERATION_EXAMPLE } },
  errors: ["NOT_FOUND"],
});

export const stopOperation = endpoint({
  operationId: "stopOperation",
  method: "POST",
  path: "/v1/operations/{id}/stop",
  tag,
  summary: "Stop an operation; what it has done stays done.",
  auth: "any",
  hasEnv: true,
  responses: {
    200: {
      description: "The operation as it is now. Nothing follows, and one that was stopped already stays as it is.",
      schema: OperationAnswer,
      example: { ...OPERATION_EXAMPLE, status: "stopped", ended_at: OPERATION_EXAMPLE.updated_at },
    },
  },
  errors: ["NOT_FOUND", "CONFLICT"],
});
