import { presentDelivery } from "../../../domain/delivery-options.ts";
import { errorLine } from "../../../domain/error-line.ts";
import type { Attempts, Operation, Schedule } from "../types.ts";
import type { Account, Stored, StoredOperation } from "./account.ts";

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
