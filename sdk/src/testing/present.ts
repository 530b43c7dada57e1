import { presentDelivery, presentOccurrenceDelivery } from "../../../domain/delivery-options.ts";
import { errorLine } from "../../../domain/error-line.ts";
import { presentNext } from "../../../domain/recurrence-next.ts";
import { recurrenceSpacing } from "../../../domain/recurrence-spacing.ts";
import { ruleInWords } from "../../../domain/rule-in-words.ts";
import type { Attempts, Operation, Recurrence, Schedule } from "../types.ts";
import type { Account, Stored, StoredOperation, StoredRecurrence } from "./account.ts";

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}

export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** A schedule as answers have it. */
export function presentSchedule(stored: Stored): Schedule {
  const size = byteLength(stored.payload);
  return {
    id: stored.id,
    target_url: stored.targetUrl,
    method: stored.method,
    status: stored.status,
    fire_at: iso(stored.fireMs),
    fired_at: isoOrNull(stored.firedMs),
    offset_ms: stored.firedMs === null ? null : stored.firedMs - stored.fireMs,
    early_fire: stored.earlyFire,
    attempts: stored.attempts,
    payload_size_bytes: size,
    has_payload: size > 0,
    created_at: iso(stored.createdMs),
    updated_at: iso(stored.updatedMs),
    next_attempt_at: nextAttemptAt(stored),
    last_status_code: stored.log.at(-1)?.status_code ?? null,
    last_error: errorLine(stored.log.at(-1)?.error_text ?? ""),
    end_reason: stored.endReason,
    delivery: presentDelivery(stored.delivery),
    replay_of: stored.replayOf,
    operation_id: stored.operationId,
    recurrence: stored.recurrence,
    occurrence_at: isoOrNull(stored.occurrenceMs),
  };
}

/** A recurrence as answers have it. */
export function presentRecurrence({ nowMs }: Account, stored: StoredRecurrence): Recurrence {
  const { rule, endsAtMs, pausedUntilMs, draft, shareMs } = stored;
  const size = byteLength(draft.payload);
  // What is paused without an end does not fire, whatever its rule says.
  const fromMs = stored.status === "paused" ? pausedUntilMs && Math.max(pausedUntilMs, nowMs) : nowMs;
  return {
    key: stored.key,
    name: stored.name,
    status: stored.status,
    cron: stored.cron,
    rule: ruleInWords(rule),
    timezone: stored.zone,
    on_clock_change: stored.onClockChange,
    overlap: stored.overlap,
    catch_up: stored.catchUp,
    spread_ms: stored.spreadMs,
    ends_at: isoOrNull(endsAtMs),
    target_url: stored.targetUrl,
    method: draft.method,
    early_fire: draft.earlyFire,
    payload_size_bytes: size,
    has_payload: size > 0,
    delivery: presentOccurrenceDelivery(draft.delivery),
    next: fromMs === null ? [] : presentNext(stored, { nowMs: fromMs, shareMs }),
    monthly_estimate: recurrenceSpacing(rule, nowMs).monthly,
    pause_note: stored.pauseNote,
    paused_until: isoOrNull(pausedUntilMs),
    left_out: stored.leftOut.map(({ fromMs: from, toMs, count, reason }) => ({
      ...{ from: iso(from), to: iso(toMs), count, reason },
    })),
    created_at: iso(stored.createdMs),
    updated_at: iso(stored.updatedMs),
  };
}

/** The attempts of a schedule within the plan's retention window. */
export function presentAttempts(account: Account, stored: Stored): Attempts {
  const sinceMs = account.nowMs - account.limits.retentionDays * 86_400_000;
  return {
    items: stored.log.filter(({ atMs }) => atMs > sinceMs).map(({ atMs, ...attempt }) => attempt),
    next_attempt_at: nextAttemptAt(stored),
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

function nextAttemptAt({ status, nextMs }: Stored): string | null {
  return status === "firing" ? null : isoOrNull(nextMs);
}
