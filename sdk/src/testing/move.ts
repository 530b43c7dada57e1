import type { Account, Stored } from "./account.ts";
import { type Fields, flag, optional, readFields } from "./fields.ts";
import { Refusal, refuseField } from "./refusal.ts";
import { checkTimes, type GivenTime, readTime, TIME_FIELDS, type TimeBody } from "./times.ts";

/** An attempt ends this long after it began at the latest, ms. */
const LEASE_MS = 35_000;

type MoveBody = TimeBody & { earlyFire?: boolean | undefined };

const MOVE_FIELDS: Fields<MoveBody> = { ...TIME_FIELDS, earlyFire: optional(flag) };

/** What a PATCH changes. Throws VALIDATION. */
export function readMoveBody(body: unknown): MoveBody {
  return readFields(body, MOVE_FIELDS, (given, add) => {
    checkTimes(given, add);
    const isEmpty = Object.keys(MOVE_FIELDS).every((name) => given[name] === undefined);
    if (isEmpty) add("", "The body must have a time, earlyFire or both.");
  });
}

/** Moves a schedule that is `scheduled`. Returns the time that was given. */
export function reschedule(account: Account, schedule: Stored, body: MoveBody): GivenTime | undefined {
  const time = readTime(body, account.nowMs);
  if (time?.refusal) throw time.refusal;
  if (time && time.atMs <= account.nowMs) throw refuseField(time.name, "must be in the future");
  if (schedule.status !== "scheduled") throw conflict(account, schedule, "rescheduled");
  if (time) Object.assign(schedule, { fireMs: time.atMs, nextMs: time.atMs, isAsked: false });
  schedule.earlyFire = body.earlyFire ?? schedule.earlyFire;
  schedule.updatedMs = account.nowMs;
  return time;
}

/** Makes the next attempt due now. One that is due already stays where it is. */
export function fire(account: Account, schedule: Stored): void {
  const { status, nextMs } = schedule;
  if ((status !== "scheduled" && status !== "failed") || nextMs === null) throw conflict(account, schedule, "fired");
  if (nextMs <= account.nowMs) return;
  if (status === "scheduled") Object.assign(schedule, { fireMs: account.nowMs, isAsked: true });
  Object.assign(schedule, { nextMs: account.nowMs, updatedMs: account.nowMs });
}

/** Cancels a schedule that is `scheduled` or `failed`. One that was cancelled stays so. */
export function cancel(account: Account, schedule: Stored): void {
  const { status } = schedule;
  if (status === "cancelled") return;
  if (status !== "scheduled" && status !== "failed") throw conflict(account, schedule, "cancelled");
  Object.assign(schedule, { status: "cancelled", nextMs: null, endedMs: account.nowMs, updatedMs: account.nowMs });
}

function conflict(account: Account, { status }: Stored, action: string): Refusal {
  const message = `A schedule that is ${status} cannot be ${action}.`;
  if (status !== "firing") return new Refusal("CONFLICT", message);
  const until = new Date(account.nowMs + LEASE_MS).toISOString();
  const advice = `An attempt is in progress and ends by ${until}: try again then.`;
  return new Refusal("CONFLICT", `${message} ${advice}`, { "Retry-After": `${LEASE_MS / 1_000}` });
}
