import { presentRecurrence as presentAnyRecurrence } from "../../../contract/recurrences.ts";
import { presentSchedule as presentAnySchedule } from "../../../contract/schedule-answer.ts";
import { errorLine } from "../../../domain/error-line.ts";
import { optionsOf } from "../../../domain/request-fields.ts";
import type { Attempts, Operation, Recurrence, Schedule } from "../types.ts";
import type { Account, Stored, StoredOperation, StoredRecurrence } from "./account.ts";

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}

function dateOrNull(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}

export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** A schedule as answers have it. */
export function presentSchedule(stored: Stored): Schedule {
  const { fireMs, firedMs, log } = stored;
  return presentAnySchedule({
    ...stored,
    fireAt: new Date(fireMs),
    firedAt: dateOrNull(firedMs),
    offsetMs: firedMs === null ? null : firedMs - fireMs,
    payloadSizeBytes: byteLength(stored.payload),
    createdAt: new Date(stored.createdMs),
    updatedAt: new Date(stored.updatedMs),
    nextAttemptAt: dateOrNull(stored.nextMs),
    lastStatusCode: log.at(-1)?.status_code ?? null,
    lastError: errorLine(log.at(-1)?.error_text ?? ""),
    occurrenceAt: dateOrNull(stored.occurrenceMs),
  });
}

/** A recurrence as answers have it. */
export function presentRecurrence({ nowMs }: Account, stored: StoredRecurrence): Recurrence {
  const { draft, createdMs: createdAtMs, updatedMs: updatedAtMs } = stored;
  const payloadSizeBytes = byteLength(draft.payload);
  return presentAnyRecurrence({
    ...stored,
    ...{ method: draft.method, ...optionsOf(draft), payloadSizeBytes, createdAtMs, updatedAtMs, nowMs },
  });
}

/** The attempts of a schedule within the plan's retention window. */
export function presentAttempts(account: Account, stored: Stored): Attempts {
  const sinceMs = account.nowMs - account.limits.retentionDays * 86_400_000;
  return {
    items: stored.log.filter(({ atMs }) => atMs > sinceMs).map(({ atMs, ...attempt }) => attempt),
    next_attempt_at: presentSchedule(stored).next_attempt_at,
    retention_days: account.limits.retentionDays,
  };
}

/** An operation as answers have it. */
export function presentOperation(operation: StoredOperation): Operation {
  return {
    id: operation.id,
    action: operation.action,
    status: operation.status,
    filter: operation.filter,
    ...operation.total,
    acted: operation.acted,
    left_alone: operation.leftAlone,
    error: null,
    created_at: iso(operation.createdMs),
    updated_at: iso(operation.updatedMs),
    ended_at: isoOrNull(operation.endedMs),
  };
}
