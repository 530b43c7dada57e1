import { writeDuration } from "../../../domain/duration.ts";
import type { Delivery, Schedule } from "../../../sdk/src/types.ts";
import { localTimeInZone } from "./local-time.ts";
import type { Fact } from "./output.ts";

/** A schedule as lines for people. */
export function scheduleFacts(schedule: Schedule): Fact[] {
  const { fired_at, offset_ms, next_attempt_at, status, fire_at } = schedule;
  return [
    ["id", schedule.id],
    ["status", status],
    ["request", `${schedule.method} ${schedule.target_url}`],
    ["payload", schedule.has_payload ? describeSize(schedule.payload_size_bytes) : "none"],
    ["due", localTimeInZone(fire_at)],
    ["sent", fired_at && `${localTimeInZone(fired_at)}, ${describeOffset(offset_ms ?? 0)}`],
    ["next attempt", next_attempt_at !== null && next_attempt_at !== fire_at ? localTimeInZone(next_attempt_at) : null],
    ["attempts", String(schedule.attempts)],
    ["last answer", lastAnswer(schedule)],
    ["dead because of", schedule.end_reason],
    ["delivery", schedule.delivery && describeDelivery(schedule.delivery)],
    ["early firing", schedule.early_fire ? "on" : null],
    ["replay of", schedule.replay_of],
    ["made by", schedule.operation_id],
    ["created", localTimeInZone(schedule.created_at)],
  ];
}

export function describeSize(bytes: number): string {
  return bytes === 1 ? "1 byte" : `${bytes} bytes`;
}

function lastAnswer({ last_status_code, last_error }: Schedule): string | null {
  return [last_status_code, last_error].filter((part) => part !== null).join(" ") || null;
}

/** Delivery options in words. `expiresInMs`: how long after its time an occurrence expires. */
export function describeDelivery(delivery: Delivery, expiresInMs: number | null = null): string {
  const { timeout_ms, retry_delays_ms, give_up_statuses, expires_at } = delivery;
  const parts = [
    timeout_ms === null ? null : `${timeout_ms / 1_000} s for an answer`,
    retry_delays_ms && `retries after ${retry_delays_ms.map(writeDuration).join(", ") || "nothing: none"}`,
    give_up_statuses && `ended by ${give_up_statuses.join(", ") || "no status"}`,
    expires_at && `expires at ${localTimeInZone(expires_at)}`,
    expiresInMs && `expires after ${writeDuration(expiresInMs)}`,
  ];
  return parts.filter((part) => part !== null).join("; ");
}

function describeOffset(ms: number): string {
  return ms === 0 ? "on the millisecond" : `${Math.abs(ms)} ms ${ms < 0 ? "early" : "late"}`;
}
