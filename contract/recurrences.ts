import { z } from "zod";
import { parseCron } from "#domain/cron.ts";
import { presentOccurrenceDelivery } from "#domain/delivery-options.ts";
import { formatInstant, instantOrNull } from "#domain/instant.ts";
import { ON_RECURRING_CLOCK_CHANGE, spreadShareMs } from "#domain/recurrence.ts";
import type { RecurrenceFacts } from "#domain/recurrence-facts.ts";
import { presentNext } from "#domain/recurrence-next.ts";
import { recurrenceSpacing } from "#domain/recurrence-spacing.ts";
import { CATCH_UP, LEFT_OUT_REASONS, OVERLAP, RECURRENCE_STATUSES } from "#domain/recurrence-step.ts";
import { ruleInWords } from "#domain/rule-in-words.ts";
import { endpoint, type ResponseSpec } from "./endpoint.ts";
import { InstantText, Method } from "./fields.ts";
import { PauseInput, PutRecurrenceQuery, RecurrenceInput, RecurrenceListInput } from "./inputs/recurrence-input.ts";
import { DELIVERY_FIELDS } from "./schedule-answer.ts";
import { PAGE_FIELDS, PAGE_HEADERS } from "./schedules.ts";

const { expires_at, ...OF_EACH } = DELIVERY_FIELDS;

const OccurrenceDelivery = z
  .strictObject({
    ...OF_EACH,
    expires_in_ms: z.int().nullable().describe("How long after its time no attempt begins any more."),
  })
  .meta({
    id: "OccurrenceDelivery",
    description: "How each occurrence is delivered; null where that is by the account's relay settings.",
  });

const NextOccurrence = z
  .strictObject({
    fire_at: InstantText.describe("When it fires, `spread_ms` included."),
    local: z.string().describe("The same as clocks of the zone show it, such as `2031-01-01T09:00:00`."),
    offset: z.string().describe("The offset of the zone from UTC then, such as `+01:00`."),
    clock_change: z
      .enum(["gap", "repeat"])
      .nullable()
      .describe("Whether the clocks skip (`gap`) or repeat (`repeat`) the time of day of the rule; null when neither."),
  })
  .meta({ id: "NextOccurrence", description: "An instant at which a recurrence will fire." });

const LeftOut = z
  .strictObject({
    from: InstantText.describe("The first instant."),
    to: InstantText.describe("The last one; the same where it is one alone."),
    count: z.int().min(1).nullable().describe("How many; null where they are more than were counted."),
    reason: z
      .enum(LEFT_OUT_REASONS)
      .describe(
        "`missed`: nothing could make them in time. `over_quota`: the month's quota was used up. `overlap`: an earlier occurrence was open. `not_allowed`: the target is not allowed any more, or the stored request cannot be read.",
      ),
  })
  .meta({ id: "LeftOut", description: "Instants of a recurrence that were not sent, and why." });

const RecurrenceAnswer = z
  .strictObject({
    key: z.string().describe("Names the recurrence, in paths percent-encoded. Each request carries it too."),
    name: z.string().nullable().describe("What its owner calls it."),
    status: z
      .enum(RECURRENCE_STATUSES)
      .describe("`active` fires, `paused` does not until it is resumed, `ended` has no instant left before `ends_at`."),
    cron: z.string().describe("The rule."),
    rule: z.string().describe("The rule in words, such as `every weekday at 09:00`."),
    timezone: z.string().describe("The IANA zone whose clocks the rule goes by."),
    on_clock_change: z.enum(ON_RECURRING_CLOCK_CHANGE).describe("What happens at times that clocks skip or repeat."),
    overlap: z.enum(OVERLAP).describe("Whether an occurrence fires while an earlier one is open."),
    catch_up: z.enum(CATCH_UP).describe("What happens with instants that passed while nothing could make them."),
    spread_ms: z.int().min(0).describe("Each occurrence fires later by a share of this."),
    ends_at: InstantText.nullable().describe("The last instant at which it may fire."),
    target_url: z.string().describe("The target URL, normalised by the URL standard."),
    method: Method.describe("The method of each request."),
    early_fire: z
      .boolean()
      .nullable()
      .describe("Whether each is sent slightly ahead, so that it arrives on time; null: by the account's setting."),
    payload_size_bytes: z.int().min(0).describe("Size of the payload in UTF-8; 0 when it has none."),
    has_payload: z.boolean().describe("Whether a payload is stored. The payload itself is never returned."),
    delivery: OccurrenceDelivery.nullable().describe("Its own delivery options; null without any."),
    next: z
      .array(NextOccurrence)
      .describe("The next times at which it fires, at most five: none while it is paused without an end."),
    monthly_estimate: z.int().min(0).describe("How many occurrences a month has by the rule, rounded up."),
    pause_note: z.string().nullable().describe("Why it is paused, as its owner has said."),
    paused_until: InstantText.nullable().describe("When a paused one goes on by itself; null: when it is resumed."),
    left_out: z.array(LeftOut).describe("The latest instants that were not sent, newest last, at most 30 entries."),
    created_at: InstantText.describe("When it was created."),
    updated_at: InstantText.describe("When its owner last changed, paused or resumed it."),
  })
  .meta({
    id: "Recurrence",
    description: "A rule by which schedules are made, and the request that each of them sends.",
  });

/** A recurrence as answers have it. */
export function presentRecurrence(recurrence: RecurrenceFacts): z.infer<typeof RecurrenceAnswer> {
  const { id, cron, nowMs, zone, onClockChange, endsAtMs, status, pausedUntilMs } = recurrence;
  const parsed = parseCron(cron);
  if (!parsed.ok) throw new Error(`recurrence ${id} has a rule that cannot be read`);
  const { rule } = parsed;
  // What is paused without an end does not fire, whatever its rule says.
  const fromMs = status === "paused" ? pausedUntilMs && Math.max(pausedUntilMs, nowMs) : nowMs;
  const times = { rule, zone, onClockChange, endsAtMs };
  return {
    key: recurrence.key,
    name: recurrence.name,
    status,
    cron,
    rule: ruleInWords(rule),
    timezone: zone,
    on_clock_change: onClockChange,
    overlap: recurrence.overlap,
    catch_up: recurrence.catchUp,
    spread_ms: recurrence.spreadMs,
    ends_at: instantOrNull(endsAtMs),
    target_url: recurrence.targetUrl,
    method: recurrence.method,
    early_fire: recurrence.earlyFire,
    payload_size_bytes: recurrence.payloadSizeBytes,
    has_payload: recurrence.payloadSizeBytes > 0,
    delivery: presentOccurrenceDelivery(recurrence.delivery),
    next: fromMs === null ? [] : presentNext(times, { nowMs: fromMs, shareMs: spreadShareMs(id, recurrence.spreadMs) }),
    monthly_estimate: recurrenceSpacing(rule, nowMs).monthly,
    pause_note: recurrence.pauseNote,
    paused_until: instantOrNull(pausedUntilMs),
    left_out: recurrence.leftOut.map(({ fromMs: from, toMs, count, reason }) => ({
      ...{ from: formatInstant(from), to: formatInstant(toMs), count, reason },
    })),
    created_at: formatInstant(recurrence.createdAtMs),
    updated_at: formatInstant(recurrence.updatedAtMs),
  };
}

const TAKEN_BACK = {
  taken_back: z
    .int()
    .min(0)
    .describe(
      "Occurrences that were cancelled: those that had not left, which are given back to the quota, and those that waited for a retry.",
    ),
  in_flight: z.int().min(0).describe("Occurrences that are being sent now: these go on, retries included."),
};

const ChangedRecurrenceAnswer = RecurrenceAnswer.extend(TAKEN_BACK).meta({
  id: "ChangedRecurrence",
  description: "A recurrence as it is now, and what became of the occurrences that were made before.",
});

const DeletedRecurrenceAnswer = z
  .strictObject({ key: z.string().describe("The key that is free now."), ...TAKEN_BACK })
  .meta({ id: "DeletedRecurrence", description: "What became of the occurrences of a recurrence that was deleted." });

const RECURRENCE_EXAMPLE = {
  key: "daily-report",
  name: "Daily report",
  status: "active",
  cron: "0 9 * * 1-5",
  rule: "every weekday at 09:00",
  timezone: "Europe/Berlin",
  on_clock_change: "first",
  overlap: "allow",
  catch_up: "latest",
  spread_ms: 0,
  ends_at: null,
  target_url: "https://example.com/report",
  method: "POST",
  early_fire: null,
  payload_size_bytes: 17,
  has_payload: true,
  delivery: null,
  next: [
    {
      fire_at: "2031-01-01T08:00:00.000Z",
      local: "2031-01-01T09:00:00",
      offset: "+01:00",
      clock_change: null,
    },
  ],
  monthly_estimate: 22,
  pause_note: null,
  paused_until: null,
  left_out: [],
  created_at: "2030-12-24T18:00:00.000Z",
  updated_at: "2030-12-24T18:00:00.000Z",
};

const CHANGED_EXAMPLE = { ...RECURRENCE_EXAMPLE, taken_back: 1, in_flight: 0 };
const NEXT_EXAMPLE = {
  ...RECURRENCE_EXAMPLE.next[0],
  fire_at: "2031-01-06T08:00:00.000Z",
  local: "2031-01-06T09:00:00",
};
const PAUSED = { status: "paused", next: [NEXT_EXAMPLE], pause_note: "moving the office" };

const tag = "Recurrences";

const ONE = (description: string) =>
  ({ description, schema: RecurrenceAnswer, example: RECURRENCE_EXAMPLE }) satisfies ResponseSpec;
const STORED = (description: string, takenBack: number) =>
  ({
    description,
    schema: ChangedRecurrenceAnswer,
    example: { ...CHANGED_EXAMPLE, taken_back: takenBack },
  }) satisfies ResponseSpec;

export const putRecurrence = endpoint({
  operationId: "putRecurrence",
  method: "PUT",
  path: "/v1/recurrences/{key}",
  tag,
  summary: "Create a recurrence, or replace the one that has this key.",
  description:
    "Its occurrences are ordinary schedules: the next one exists always, and the list's filter `recurrence` finds them. What is left out has its default, not what it was. Occurrences of before that have not left are taken back and made anew; once this is answered, nothing of the former request is sent but what `in_flight` counts. The same call again changes nothing. One that is paused stays so, and one that has ended begins again. Occurrences count in the quota when they are made; over it they are left out, and the rule goes on. As many recurrences as the plan has, CONFLICT beyond. (By default: Free 10 in each environment, at least 60 s apart; Indie 500, 10 s.)",
  auth: "any",
  hasEnv: true,
  query: PutRecurrenceQuery,
  body: RecurrenceInput,
  bodyExample: {
    cron: "0 9 * * 1-5",
    timezone: "Europe/Berlin",
    name: "Daily report",
    targetUrl: "https://example.com/report",
    payload: '{"hello":"world"}',
    headers: { "Content-Type": "application/json" },
  },
  responses: {
    201: STORED("The recurrence was created.", 0),
    200: STORED("The recurrence with this key is as the request says.", 1),
  },
  errors: ["CONFLICT", "PAYLOAD_TOO_LARGE"],
});

export const listRecurrences = endpoint({
  operationId: "listRecurrences",
  method: "GET",
  path: "/v1/recurrences",
  tag,
  summary: "List recurrences, the newest first.",
  auth: "any",
  hasEnv: true,
  query: RecurrenceListInput,
  responses: {
    200: {
      description: "One page.",
      schema: z
        .strictObject({ items: z.array(RecurrenceAnswer).describe("The recurrences of this page."), ...PAGE_FIELDS })
        .meta({ id: "RecurrencePage", description: "One page of a list of recurrences." }),
      example: { items: [RECURRENCE_EXAMPLE], total: 1, limit: 20, offset: 0, next_cursor: null },
      headers: PAGE_HEADERS,
    },
  },
});

export const getRecurrence = endpoint({
  operationId: "getRecurrence",
  method: "GET",
  path: "/v1/recurrences/{key}",
  tag,
  summary: "Get one recurrence, and when it fires next.",
  auth: "any",
  hasEnv: true,
  responses: { 200: ONE("The recurrence.") },
  errors: ["NOT_FOUND"],
});

export const deleteRecurrence = endpoint({
  operationId: "deleteRecurrence",
  method: "DELETE",
  path: "/v1/recurrences/{key}",
  tag,
  summary: "Delete a recurrence, and take back what has not left.",
  description:
    "Once this is answered, nothing of it is sent but what `in_flight` counts. Its occurrences stay as schedules, without its key.",
  auth: "any",
  hasEnv: true,
  responses: {
    200: {
      description: "There is no such recurrence any more.",
      schema: DeletedRecurrenceAnswer,
      example: { key: RECURRENCE_EXAMPLE.key, taken_back: 1, in_flight: 0 },
    },
  },
  errors: ["NOT_FOUND"],
});

export const pauseRecurrence = endpoint({
  operationId: "pauseRecurrence",
  method: "POST",
  path: "/v1/recurrences/{key}/pause",
  tag,
  summary: "Pause a recurrence, and take back what has not left.",
  description:
    "Once this is answered, nothing of it is sent but what `in_flight` counts. It goes on `until` an instant, or when it is resumed, and from then: what would have fired meanwhile is not made. One that is paused already has the new note and end. CONFLICT when it has ended.",
  auth: "any",
  hasEnv: true,
  body: PauseInput,
  isBodyOptional: true,
  bodyExample: { note: "moving the office", until: "2031-01-06T00:00:00Z" },
  responses: {
    200: {
      description: "The recurrence as it is now.",
      schema: ChangedRecurrenceAnswer,
      example: { ...CHANGED_EXAMPLE, ...PAUSED, paused_until: "2031-01-06T00:00:00.000Z" },
    },
  },
  errors: ["NOT_FOUND", "CONFLICT"],
});

export const resumeRecurrence = endpoint({
  operationId: "resumeRecurrence",
  method: "POST",
  path: "/v1/recurrences/{key}/resume",
  tag,
  summary: "Resume a recurrence that is paused.",
  description: "It goes on from now. One that is active stays as it is. CONFLICT when it has ended.",
  auth: "any",
  hasEnv: true,
  responses: { 200: ONE("The recurrence as it is now.") },
  errors: ["NOT_FOUND", "CONFLICT"],
});
