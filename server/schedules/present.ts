import type { ITEM_CODES } from "#contract/inputs/bulk-input.ts";
import { presentSchedule as present } from "#contract/schedule-answer.ts";
import type { ScheduleRow } from "#db/queries/schedules/find.ts";
import { encodeId } from "#domain/ids.ts";
import { formatInstant } from "#domain/instant.ts";
import { idempotencyFields } from "../http/idempotency-marks.ts";
import type { ScheduleAttempts } from "./attempts.ts";
import type { BulkOutcome } from "./bulk.ts";
import type { CreatedSchedule } from "./create.ts";
import type { PutByKey } from "./put.ts";
import type { Rescheduled } from "./reschedule.ts";

/** A schedule as callers see it. */
export function presentSchedule(row: ScheduleRow) {
  return present({
    ...row,
    id: encodeId("sch", row.id),
    replayOf: row.replayOf && encodeId("sch", row.replayOf),
    operationId: row.operationId && encodeId("op", row.operationId),
  });
}

/** The response body of PATCH /v1/schedules/:id. */
export function presentRescheduled(row: Rescheduled) {
  return { ...presentSchedule(row), ...clockChangeField(row) };
}

/** The response body of a create. */
export function presentCreated(created: CreatedSchedule) {
  return { ...presentStored(created), ...idempotencyFields(created) };
}

/** The response body of PUT /v1/schedules/by-key/:key. */
export function presentPut(put: PutByKey) {
  return { ...presentStored(put), replaces: put.replaces === null ? null : encodeId("sch", put.replaces) };
}

function presentStored(stored: Pick<CreatedSchedule, "id" | "fireAtMs" | "status" | "overLimit" | "clockChange">) {
  return {
    id: encodeId("sch", stored.id),
    fire_at: formatInstant(stored.fireAtMs),
    status: stored.status,
    over_limit: stored.overLimit,
    ...clockChangeField(stored),
  };
}

/** The response body of a bulk create; `index` is an item's position in the request. */
export function presentBulk({ accepted, rejected }: BulkOutcome) {
  return {
    accepted: accepted.map((item) => ({
      index: item.index,
      id: encodeId("sch", item.id),
      fire_at: formatInstant(item.fireAtMs),
      status: item.status,
      ...clockChangeField(item),
      ...(item.outcome === "replayed" && { replayed: true as const }),
      ...(item.mismatch && { mismatch: true as const }),
    })),
    rejected: rejected.map(({ index, error }) => ({
      index,
      code: error.code as (typeof ITEM_CODES)[number],
      message: error.publicMessage,
    })),
  };
}

/** The response body of GET /v1/schedules/:id/attempts; `timing` is in ms. */
export function presentAttempts({ schedule, attempts }: ScheduleAttempts, retentionDays: number) {
  return {
    items: attempts.map((row) => ({
      attempt: row.attempt,
      status_code: row.statusCode,
      latency_ms: row.latencyMs,
      error_text: row.errorText,
      attempted_at: row.attemptedAt.toISOString(),
      via: row.via,
      timing: {
        late: roundToMicrosecond(row.lateMs),
        claim: roundToMicrosecond(row.claimMs),
        wait: roundToMicrosecond(row.waitMs),
        connect: roundToMicrosecond(row.connectMs),
        first_byte: roundToMicrosecond(row.firstByteMs),
      },
    })),
    next_attempt_at: presentSchedule(schedule).next_attempt_at,
    retention_days: retentionDays,
  };
}

function clockChangeField({ clockChange }: Pick<CreatedSchedule, "clockChange">) {
  return clockChange === undefined ? {} : { clock_change: clockChange };
}

/** Times are stored as single-precision floats, whose further digits are noise. */
export function roundToMicrosecond<T extends number | null>(ms: T): T {
  return (ms === null ? null : Math.round(ms * 1_000) / 1_000) as T;
}
