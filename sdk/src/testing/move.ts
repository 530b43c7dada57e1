import type { RescheduleInput } from "../../../contract/inputs/reschedule-input.ts";
import { notInFuture, type ReadTime, readTime } from "../../../contract/inputs/time-input.ts";
import { expiresBefore, statusConflict } from "../../../contract/refusals.ts";
import type { AppError } from "../../../domain/errors.ts";
import { attemptMaxMs, RECORDING_MS } from "../../../domain/timing.ts";
import type { Account, Stored } from "./account.ts";
import { instantOf } from "./create.ts";

/** Moves a schedule that is `scheduled`. Returns the time that was given. */
export function reschedule(account: Account, schedule: Stored, body: RescheduleInput): ReadTime | undefined {
  const { nowMs } = account;
  const time = readTime(body);
  if (time?.refusal) throw time.refusal;
  const atMs = time && instantOf(time.fireTime, nowMs);
  if (time && atMs !== undefined && atMs <= nowMs) throw notInFuture(time.name);
  if (schedule.status !== "scheduled") throw conflict(account, schedule, "rescheduled");
  if (time && atMs !== undefined && atMs >= (schedule.delivery?.expiresAtMs ?? Number.POSITIVE_INFINITY))
    throw expiresBefore(time.name);
  if (atMs !== undefined) Object.assign(schedule, { fireMs: atMs, nextMs: atMs, isAsked: false, isHeld: false });
  schedule.earlyFire = body.earlyFire ?? schedule.earlyFire;
  schedule.updatedMs = nowMs;
  return time;
}

/** Makes the next attempt due now. One that is due already stays where it is. */
export function fire(account: Account, schedule: Stored): void {
  const { status, nextMs } = schedule;
  if ((status !== "scheduled" && status !== "failed") || nextMs === null) throw conflict(account, schedule, "fired");
  if (nextMs <= account.nowMs) return;
  if (status === "scheduled") Object.assign(schedule, { fireMs: account.nowMs, isAsked: true, isHeld: false });
  Object.assign(schedule, { nextMs: account.nowMs, updatedMs: account.nowMs });
}

/** Cancels a schedule that is `scheduled` or `failed`. One that was cancelled stays so. */
export function cancel(account: Account, schedule: Stored): void {
  const { status } = schedule;
  if (status === "cancelled") return;
  if (status !== "scheduled" && status !== "failed") throw conflict(account, schedule, "cancelled");
  Object.assign(schedule, { status: "cancelled", nextMs: null, endedMs: account.nowMs, updatedMs: account.nowMs });
}

/** The error of a schedule whose status does not allow an action. */
export function conflict(
  { nowMs }: Account,
  { status, delivery }: Stored,
  action: Parameters<typeof statusConflict>[0],
): AppError {
  const endsAtMs = nowMs + attemptMaxMs(delivery?.timeoutMs) + RECORDING_MS;
  return statusConflict(action, status, status === "firing" ? { endsAtMs, nowMs } : undefined);
}
