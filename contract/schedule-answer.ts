import { z } from "zod";
import { presentDelivery } from "#domain/delivery-options.ts";
import { END_REASONS } from "#domain/end-reasons.ts";
import type { ScheduleFacts } from "#domain/schedule-facts.ts";
import { CREATED_EXAMPLE } from "./examples.ts";
import { InstantText, Method, OperationId, ScheduleId, Status } from "./fields.ts";

/** Fields of delivery options in answers. */
export const DELIVERY_FIELDS = {
  timeout_ms: z.int().nullable().describe("The time for an answer."),
  retry_delays_ms: z.array(z.int()).nullable().describe("The wait before each retry; an empty list is no retry."),
  give_up_statuses: z
    .array(z.union([z.int(), z.string()]))
    .nullable()
    .describe("Answers that end it at once: statuses and ranges of them."),
  expires_at: InstantText.nullable().describe("No attempt begins after it."),
};

const DeliveryAnswer = z.strictObject(DELIVERY_FIELDS).meta({
  id: "Delivery",
  description: "How a schedule is delivered; null where that is by the account's relay settings at each attempt.",
});

export const ScheduleAnswer = z
  .strictObject({
    id: ScheduleId.describe("Names the schedule, in paths too."),
    target_url: z.string().describe("The target URL, normalised by the URL standard."),
    method: Method.describe("The method of the request."),
    status: Status.describe("The status of the schedule."),
    fire_at: InstantText.describe("When the request is to be sent."),
    fired_at: InstantText.nullable().describe("Time of the first attempt with a known outcome."),
    offset_ms: z.int().nullable().describe("`fired_at` less `fire_at`; positive means late."),
    early_fire: z.boolean().describe("Whether it is sent slightly ahead, so that it arrives on time."),
    attempts: z.int().min(0).describe("Attempts that were started."),
    payload_size_bytes: z
      .int()
      .min(0)
      .describe("Size of the stored payload in UTF-8; 0 when it has none, or was erased."),
    has_payload: z.boolean().describe("Whether a payload is stored. The payload itself is never returned."),
    created_at: InstantText.describe("When the schedule was created."),
    updated_at: InstantText.describe("When it last changed."),
    next_attempt_at: InstantText.nullable().describe(
      "When the next one is due; null when none is, and while one is in progress.",
    ),
    last_status_code: z
      .int()
      .nullable()
      .describe("Of the last attempt that ended; null before one has, and where it had no answer."),
    last_error: z
      .string()
      .nullable()
      .describe(
        "The first line of its `error_text`; null where it has none. `cancelled by reconcile`: by an operator, after a restore.",
      ),
    end_reason: z
      .enum(END_REASONS)
      .nullable()
      .describe(
        "Why it is `dead`: its `attempts` are used up, an answer had a `status` that ends it, it has `expired`, three attempts in a row were `interrupted`, its target is `blocked`, or it expired while its account was `deactivated`. Null in any other status, and for what died before this was recorded.",
      ),
    delivery: DeliveryAnswer.nullable().describe("Its own delivery options; null without any."),
    replay_of: ScheduleId.nullable().describe("The schedule that this one repeats."),
    operation_id: OperationId.nullable().describe("The operation that made this copy."),
    recurrence: z
      .string()
      .nullable()
      .describe(
        "The key of the recurrence that it is an occurrence of; null for any other, and once that was deleted.",
      ),
    occurrence_at: InstantText.nullable().describe(
      "The instant that the rule of the recurrence names, which a move does not change; null for any other schedule.",
    ),
  })
  .meta({ id: "Schedule", description: "A request and the instant at which it is sent." });

/** One that has been delivered. */
export const SCHEDULE_EXAMPLE = {
  id: CREATED_EXAMPLE.id,
  target_url: "https://example.com/hook",
  method: "POST",
  status: "succeeded",
  fire_at: "2031-01-01T09:00:00.000Z",
  fired_at: "2031-01-01T09:00:00.001Z",
  offset_ms: 1,
  early_fire: false,
  attempts: 1,
  payload_size_bytes: 17,
  has_payload: true,
  created_at: "2030-12-24T18:00:00.000Z",
  updated_at: "2031-01-01T09:00:00.093Z",
  next_attempt_at: null,
  last_status_code: 200,
  last_error: null,
  end_reason: null,
  delivery: null,
  replay_of: null,
  operation_id: null,
  recurrence: null,
  occurrence_at: null,
};

/** A schedule as answers have it. */
export function presentSchedule(schedule: ScheduleFacts): z.infer<typeof ScheduleAnswer> {
  return {
    id: schedule.id,
    target_url: schedule.targetUrl,
    method: schedule.method,
    status: schedule.status,
    fire_at: schedule.fireAt.toISOString(),
    fired_at: schedule.firedAt?.toISOString() ?? null,
    offset_ms: schedule.offsetMs,
    early_fire: schedule.earlyFire,
    attempts: schedule.attempts,
    payload_size_bytes: schedule.payloadSizeBytes,
    has_payload: schedule.payloadSizeBytes > 0,
    created_at: schedule.createdAt.toISOString(),
    updated_at: schedule.updatedAt.toISOString(),
    // That of one that is firing is in progress.
    next_attempt_at: schedule.status === "firing" ? null : (schedule.nextAttemptAt?.toISOString() ?? null),
    last_status_code: schedule.lastStatusCode,
    last_error: schedule.lastError,
    end_reason: schedule.endReason,
    delivery: presentDelivery(schedule.delivery),
    replay_of: schedule.replayOf,
    operation_id: schedule.operationId,
    recurrence: schedule.recurrence,
    occurrence_at: schedule.occurrenceAt?.toISOString() ?? null,
  };
}
