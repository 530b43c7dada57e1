import type { Delivery } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";
import { ADMISSION } from "../tuning/admission.ts";
import { DELIVERY } from "../tuning/delivery.ts";
import type { Waiters } from "./waiters.ts";
import type { WaitingQueue } from "./waiting-queue.ts";

/**
 * How many requests beyond its free connections may be claimed ahead for this origin: those that it answers within
 * ADMISSION.headroomMs by its recent latency. None for an origin that is slow at the moment, or stuck.
 */
function headroom(waiters: Waiters, nowMs: number): number {
  const { origin, readySize } = waiters;
  const { latencyMs, pacePerMs } = origin.answers;
  if (waiters.areStuck || Number.isNaN(latencyMs) || origin.isSlow(nowMs)) return 0;
  const answered = Math.floor((origin.open * ADMISSION.headroomMs) / Math.max(latencyMs, 1));
  const max = readySize === 0 ? ADMISSION.headroomAheadMax : ADMISSION.headroomMax;
  return Math.min(answered, Math.max(max, pacePerMs * ADMISSION.headroomMs));
}

/**
 * How many more deliveries that can use any connection may be let through to their claim. `reserved` deliveries were
 * let through and have no connection yet.
 */
export function roomFor(waiters: Waiters, reserved: number, nowMs: number): number {
  return waiters.origin.idle - reserved + headroom(waiters, nowMs);
}

/**
 * A late delivery is let through only while fewer deliveries than this are let through and have no connection. If it
 * were larger, on-time deliveries would wait behind late ones. If it were smaller than what leaves during one
 * preparation, the rate of answers would fall, and this bound with it. So it is larger while connections idle.
 */
export function lateMax(waiters: Waiters, nowMs: number): number {
  const ahead = Math.max(waiters.origin.answers.paceAt(nowMs) * ADMISSION.lateAheadMs, ADMISSION.lateAheadMin);
  return lacksClaimed(waiters) ? ahead * ADMISSION.idleFactor : ahead;
}

/** Whether at least half of the connections have nothing to send: no claimed delivery waits for one. */
const lacksClaimed = ({ readySize, origin }: Waiters): boolean => readySize === 0 && 2 * origin.idle >= origin.open;

/** Whether a delivery may be let through whatever `lateMax` says, because it is less than two seconds late. */
export const isTimely = ({ sendAtMs }: { sendAtMs: number }, nowMs: number): boolean =>
  sendAtMs >= nowMs - DELIVERY.longLateMs;

/**
 * Whether a delivery is let through although `room` is used up. Its origin must be fast. Either it is due, at most half
 * a second ago; or few are due with it, and it would be prepared too late or is due before one that was let through.
 */
export function isUrgent(waiters: Waiters, { sendAtMs }: { sendAtMs: number }, room: number, clock: Time): boolean {
  const nowMs = clock.now();
  const hasFew = waiters.forecast.hasFewAt(sendAtMs);
  const isDue = sendAtMs <= nowMs && sendAtMs > nowMs - ADMISSION.urgentMs;
  const isSoon = sendAtMs > nowMs && (waiters.isBeforeFrontier(sendAtMs) || mustBePrepared(waiters, sendAtMs, nowMs));
  if (!isDue && !(isSoon && hasFew)) return false;
  return mayOverdraw(
    waiters,
    room,
    clock.monotonic(),
    hasFew ? ADMISSION.overCommitMax : ADMISSION.overCommitByBurstMax,
  );
}

/** Whether deliveries may be let through although `room` is used up: up to `max`, only while the origin is fast. */
export const mayOverdraw = (
  waiters: Waiters,
  room: number,
  nowMs: number,
  max: number = ADMISSION.overCommitMax,
): boolean => -room < max && headroom(waiters, nowMs) > 0;

/** Whether a request that is due at `sendAtMs` must begin to be prepared. */
const mustBePrepared = ({ preparation }: Waiters, sendAtMs: number, nowMs: number): boolean =>
  sendAtMs <= nowMs + preparation.aheadMs(nowMs);

/**
 * Removes and returns the delivery that goes next, if there is one that `is` accepts, among those that `mayGo` accepts.
 * When `is` accepts the one with the smallest tag, which may be due before all that were let through, the fair order
 * decides. Otherwise `is` is asked for the one that is on time, and then for the least late.
 */
export function takeIf(
  waiting: WaitingQueue,
  nowMs: number,
  mayGo: (delivery: Delivery) => boolean,
  is: (delivery: Delivery) => boolean,
): Delivery | undefined {
  const first = waiting.peek(mayGo);
  return first && is(first) ? waiting.take(nowMs, mayGo, is) : waiting.takeTimely(nowMs, mayGo, is);
}
