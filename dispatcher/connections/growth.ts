import { mostFor } from "../delivery/reserve.ts";
import { CONNECTIONS } from "../tuning/connections.ts";
import { RESERVED } from "../tuning/delivery.ts";
import type { Origin } from "./origin.ts";

/**
 * Whether another connection to `origin` may be opened, which for a `small` account may be a reserved one. `max` is the bound for
 * one origin.
 */
export function mayOpenMore(origin: Origin, max: number, nowMs: number, isSmall: boolean): boolean {
  if (origin.connections >= max || !mayOpenNow(origin, nowMs)) return false;
  return origin.open + recentlyOpening(origin, nowMs) < allowedTo(origin, isSmall);
}

/** How many connections `origin` may have when one is opened for an account that `isSmall` there, or is not. */
export const allowedTo = ({ allowance }: Origin, isSmall: boolean): number =>
  mostFor(allowance.connections + RESERVED.ofOrigin, RESERVED.ofOrigin, isSmall);

/** Whether a connection may be opened now: not too many at once, and not right after a failure. */
export function mayOpenNow(origin: Origin, nowMs: number): boolean {
  return !origin.allowance.isPaused(nowMs) && recentlyOpening(origin, nowMs) < CONNECTIONS.openingMax;
}

/**
 * Sets how many connections an origin may have while `waiting` requests want one. A slow origin gets as many more as its
 * latency requires for them, and one more for each hanging request. `max` is the bound for one origin. `isCalm` tells that
 * the event loop was not busy, so no answer waits unread in a socket.
 */
export function grow(
  origin: Origin,
  { waiting, max, nowMs, isCalm }: { waiting: number; max: number; nowMs: number; isCalm: boolean },
): void {
  const { answers, allowance } = origin;
  const hanging = countHanging(origin, nowMs, isCalm);
  const isSteady = answers.areSteadilySlow;
  if (isSteady || answers.confirmedMs >= CONNECTIONS.slowMs) {
    const lacking = Math.ceil((waiting * (isSteady ? answers.quickestMs : answers.confirmedMs)) / CONNECTIONS.drainMs);
    allowance.raise(origin.connections - hanging + lacking, isSteady ? max : Math.min(max, CONNECTIONS.busyOriginMax));
  }
  allowance.allowFor(hanging, max);
}

/**
 * Allows a slow origin `needs` connections, at most `max`, for requests that fall due. Returns how many of them it may have; 0
 * when it is not slow. `underWay` tells how many requests are on the wire when each takes so long, ms.
 */
export function growAhead(origin: Origin, underWay: (latencyMs: number) => number, max: number): number {
  const { answers, allowance } = origin;
  if (!answers.areSteadilySlow) return 0;
  const needed = Math.min(underWay(Math.min(answers.latencyMs, CONNECTIONS.overloadFactor * answers.quickestMs)), max);
  allowance.raise(needed, max);
  return needed;
}

/** Called once a second: forgets old peaks, and updates the quickest and the base latency. */
export function age(origin: Origin, nowMs: number): void {
  origin.allowance.age(origin.busy.size, nowMs);
  origin.answers.age(origin.busy.size > CONNECTIONS.fastOriginMax);
}

/** How many connections are being opened since at most a quarter of a second. */
function recentlyOpening(origin: Origin, nowMs: number): number {
  let n = 0;
  if (origin.opening.size === 0) return n;
  for (const { sinceMs } of origin.opening) if (nowMs - sinceMs < CONNECTIONS.silentMs) n++;
  return n;
}

/**
 * How many requests hang. A request hangs when, since it was begun, twice as many answers have arrived as requests are
 * on the wire, or when the origin has answered nothing for longer than it usually takes.
 */
function countHanging({ answers, busy }: Origin, nowMs: number, isCalm: boolean): number {
  const overtakenAt = answers.count - CONNECTIONS.overtaken * busy.size;
  const silentMs = Math.max(CONNECTIONS.silentMs, answers.slowAfterMs);
  let n = 0;
  for (const [connection, sinceMs] of busy) {
    const isOvertaken = connection.answersBefore <= overtakenAt;
    const isSilent = isCalm && nowMs - Math.max(sinceMs, answers.lastAtMs) > silentMs;
    if (!isOvertaken && !isSilent) break;
    n++;
  }
  return n;
}
