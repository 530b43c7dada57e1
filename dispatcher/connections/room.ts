import type { Delivery } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";
import { isSlow, type Origin, openOf, readyOf } from "./origin.ts";
import type { WaitingQueue } from "./waiting-queue.ts";

const LATENCY_MIN_MS = 1;
/**
 * Deliveries are let through to their claim only if the origin can answer them within this, by its recent latency: well
 * before they would be put back, ms.
 */
const HEADROOM_MS = 250;
/**
 * And no more than this many, or as many as were answered within HEADROOM_MS lately, whatever the latency: this process
 * may send more slowly than the origin answers, and requests that wait for two seconds are put back.
 */
const HEADROOM_MAX = 1_024;
/** As long as no claimed one waits for a connection, as before the instant of a burst, it may be this many. */
const HEADROOM_AHEAD_MAX = 4_096;
/** A delivery that is late by this is let through only if few others were, ms. */
const LATE_MS = 2_000;
/** A delivery that is at most this late may be let through without room. */
const URGENT_MS = 500;
/** How many deliveries may be let through without room; and how many when many others are due with the next one. */
const OVERDRAWN_MAX = 4_096;
const OVERDRAWN_BY_CROWD_MAX = 1_024;
/** The period over which the pace of answers is measured, ms. */
const PACE_MS = 250;
/** Late deliveries are let through for this long ahead, by the pace of answers, ms; and at least this many. */
const LATE_AHEAD_MS = 200;
const LATE_AHEAD_MIN = 512;
/** So many times more while connections idle, because the way to the connection takes longer than LATE_AHEAD_MS. */
const IDLE_FACTOR = 4;

/**
 * How many requests beyond its free connections may be claimed ahead for this origin: those that it answers within
 * HEADROOM_MS by its recent latency. None for an origin that is slow at the moment.
 */
function headroom(origin: Origin, nowMs: number): number {
  if (Number.isNaN(origin.latencyMs) || isSlow(origin, nowMs)) return 0;
  const answered = Math.floor((openOf(origin) * HEADROOM_MS) / Math.max(origin.latencyMs, LATENCY_MIN_MS));
  const max = readyOf(origin) === 0 ? HEADROOM_AHEAD_MAX : HEADROOM_MAX;
  return Math.min(answered, Math.max(max, origin.pacePerMs * HEADROOM_MS));
}

/**
 * How many more deliveries that can use any connection may be let through to their claim. `reserved` deliveries were
 * let through and have no connection yet.
 */
export function roomFor(origin: Origin, reserved: number, nowMs: number): number {
  return origin.unused.length + origin.warm.length - reserved + headroom(origin, nowMs);
}

/**
 * The most deliveries that may have been let through without a connection yet when a late one is let through. With more
 * of them, a delivery that is on time would have to wait behind them. With fewer than leave while one is on its way, the
 * pace would sink, and this bound with it; so it is larger while connections idle.
 */
export function lateMax(origin: Origin, nowMs: number): number {
  const forMs = nowMs - origin.paceSinceMs;
  if (forMs >= PACE_MS) {
    origin.pacePerMs = (origin.answers - origin.paceFrom) / forMs;
    origin.paceFrom = origin.answers;
    origin.paceSinceMs = nowMs;
  }
  const ahead = Math.max(origin.pacePerMs * LATE_AHEAD_MS, LATE_AHEAD_MIN);
  return lacksClaimed(origin) ? ahead * IDLE_FACTOR : ahead;
}

/** Whether at least half of the connections have nothing to send: no claimed delivery waits for one. */
const lacksClaimed = (origin: Origin): boolean =>
  readyOf(origin) === 0 && 2 * (origin.warm.length + origin.unused.length) >= openOf(origin);

/** Whether a delivery may be let through whatever `lateMax` says, because it is less than two seconds late. */
export const isTimely = ({ sendAtMs }: { sendAtMs: number }, nowMs: number): boolean => sendAtMs >= nowMs - LATE_MS;

/**
 * Whether a delivery is let through although `room` is used up. Its origin must be fast. The delivery must be due, at most
 * half a second ago; or few are due with it, and it would be prepared too late, or overtakes one that was let through.
 */
export function isUrgent(origin: Origin, { sendAtMs }: { sendAtMs: number }, room: number, clock: Time): boolean {
  const nowMs = clock.now();
  const hasFew = origin.forecast.hasFewAt(sendAtMs);
  const isDue = sendAtMs <= nowMs && sendAtMs > nowMs - URGENT_MS;
  const isSoon = sendAtMs > nowMs && (sendAtMs < origin.frontierMs || mustBePrepared(origin, sendAtMs, nowMs));
  if (!isDue && !(isSoon && hasFew)) return false;
  return mayOverdraw(origin, room, clock.monotonic(), hasFew ? OVERDRAWN_MAX : OVERDRAWN_BY_CROWD_MAX);
}

/** Whether any delivery may be let through although `room` is used up, when `max` may be. */
export const mayOverdraw = (origin: Origin, room: number, nowMs: number, max = OVERDRAWN_MAX): boolean =>
  -room < max && headroom(origin, nowMs) > 0;

/** Whether a request that is due at `sendAtMs` must begin to be prepared. */
const mustBePrepared = (origin: Origin, sendAtMs: number, nowMs: number): boolean =>
  sendAtMs <= nowMs + origin.preparation.aheadMs(nowMs);

/**
 * Removes and returns the delivery whose turn it is, as long as `is` accepts the one that is first by its tag: that one
 * may be due before all that were let through. Otherwise the one that is on time or the least late, if `is` accepts it.
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
