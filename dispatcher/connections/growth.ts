import {
  connectionsOf,
  FAST_ORIGIN_MAX,
  type Origin,
  openOf,
  readyOf,
  SLOW_MS,
  slowAfterMs,
  waitingOf,
} from "./origin.ts";

/** A slow origin gets as many more connections as are needed to answer the waiting requests within this, ms. */
const DRAIN_MS = 500;
/** Bound on the connections of an origin whose average answer is slow but whose quickest one is not. */
const BUSY_ORIGIN_MAX = 256;
/** If answers take this many times the base latency, the origin is overloaded, and more connections do not help. */
const SLOWED_DOWN = 2;
/** A request is overtaken once this many answers per request on the wire have arrived since it began. */
const OVERTAKEN = 2;
/** The shortest time without an answer after which a request counts as hanging, ms. */
const SILENT_MS = 250;
/** The peak of the last minute is stored as the peaks of two halves of this length. */
const PEAK_EACH_MS = 30_000;
/** A slow origin may have this many times its peak. */
const PEAK_SPARE = 1.25;
/** The base latency of an origin that has become slower by itself rises by this factor each second. */
const BASE_RISE = 1.05;

/**
 * A connection that is not open after this may go to an address that does not answer. Others are then opened beside it.
 */
const OPENS_WITHIN_MS = 250;
const OPENING_MAX = 32;

/**
 * Whether another connection to `origin` may be opened. `max` is the bound for one origin; `spare` connections may be
 * opened beyond those that are allowed.
 */
export function mayOpenMore(origin: Origin, max: number, nowMs: number, spare = 0): boolean {
  if (connectionsOf(origin) >= max || !mayOpenNow(origin, nowMs)) return false;
  return openOf(origin) + recentlyOpening(origin, nowMs) < origin.allowed + spare;
}

/** Whether a connection may be opened now: not too many at once, and not right after a failure. */
export function mayOpenNow(origin: Origin, nowMs: number): boolean {
  return nowMs >= origin.openAgainAtMs && recentlyOpening(origin, nowMs) < OPENING_MAX;
}

/**
 * Sets how many connections an origin may have while requests wait for one. A slow origin gets as many more as its
 * latency requires for the waiting requests, and one more for each hanging request. `max` is the bound for one origin.
 * `isCalm` tells that the event loop was not busy, so no answer waits unread in a socket.
 */
export function grow(origin: Origin, max: number, nowMs: number, isCalm: boolean): void {
  const hanging = countHanging(origin, nowMs, isCalm);
  const isSteady = isSteadilySlow(origin);
  if (isSteady || origin.provenMs >= SLOW_MS) {
    const latencyMs = isSteady ? origin.quickestMs : origin.provenMs;
    const lacking = Math.ceil(((readyOf(origin) + waitingOf(origin)) * latencyMs) / DRAIN_MS);
    raise(origin, connectionsOf(origin) - hanging + lacking, isSteady ? max : Math.min(max, BUSY_ORIGIN_MAX));
  }
  origin.allowed = Math.min(origin.grown + hanging, max);
}

/** Allows a slow origin the connections for requests that will be on the wire at `atMs`. Returns how many it needs. */
export function growAhead(origin: Origin, atMs: number, max: number): number {
  if (!isSteadilySlow(origin)) return 0;
  const latencyMs = Math.min(origin.latencyMs, SLOWED_DOWN * origin.quickestMs);
  const needed = Math.min(origin.forecast.underWay(atMs, latencyMs), max);
  raise(origin, needed, max);
  origin.allowed = Math.max(origin.allowed, origin.grown);
  return needed;
}

/** Called when nothing waits any more: hanging requests no longer allow further connections. */
export function settle(origin: Origin): void {
  origin.allowed = origin.grown;
}

/** Updates the peak of requests on the wire at once. */
export function notePeak(origin: Origin): void {
  if (origin.busy.size > origin.peak) origin.peak = origin.busy.size;
}

/** The most requests on the wire at once, in the last 30 to 60 seconds. */
export const peakOf = (origin: Origin): number => Math.max(origin.peak, origin.peakBefore);

/** Called once a second: drops peaks older than a minute, and updates the quickest and the base latency. */
export function age(origin: Origin, nowMs: number): void {
  if (nowMs - origin.peakSinceMs >= PEAK_EACH_MS) {
    origin.peakBefore = origin.peak;
    origin.peak = origin.busy.size;
    origin.peakSinceMs = nowMs;
  }
  origin.grown = Math.max(FAST_ORIGIN_MAX, Math.min(origin.grown, Math.ceil(peakOf(origin) * PEAK_SPARE)));
  origin.quickestMs = origin.quickestNowMs;
  origin.quickestNowMs = Number.NaN;
  const isCrowded = origin.busy.size > FAST_ORIGIN_MAX && origin.quickestMs > origin.baseMs;
  origin.baseMs = isCrowded ? Math.min(origin.baseMs * BASE_RISE, origin.quickestMs) : origin.quickestMs;
}

/**
 * Whether even the quickest answer takes long, and not because the origin has so many requests at once. The average is
 * not used: it is also long when this process is busy and reads answers late.
 */
const isSteadilySlow = ({ quickestMs, baseMs }: Origin): boolean =>
  quickestMs >= SLOW_MS && !(quickestMs > SLOWED_DOWN * baseMs);

function raise(origin: Origin, needed: number, max: number): void {
  origin.grown = Math.max(origin.grown, Math.min(needed, max));
}

/** How many connections are being opened since at most a quarter of a second. */
function recentlyOpening(origin: Origin, nowMs: number): number {
  let n = 0;
  if (origin.opening.size === 0) return n;
  for (const { sinceMs } of origin.opening) if (nowMs - sinceMs < OPENS_WITHIN_MS) n++;
  return n;
}

/**
 * How many requests hang. A request hangs when, since it was begun, twice as many answers have arrived as requests are
 * on the wire, or when the origin has answered nothing for longer than it usually takes.
 */
function countHanging(origin: Origin, nowMs: number, isCalm: boolean): number {
  const overtakenAt = origin.answers - OVERTAKEN * origin.busy.size;
  const silentMs = Math.max(SILENT_MS, slowAfterMs(origin));
  let n = 0;
  for (const [connection, sinceMs] of origin.busy) {
    const isOvertaken = connection.answersBefore <= overtakenAt;
    const isSilent = isCalm && nowMs - Math.max(sinceMs, origin.answeredAtMs) > silentMs;
    if (!isOvertaken && !isSilent) break;
    n++;
  }
  return n;
}
