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

/** A slow origin is given as many more as answer what waits for it within this. */
const DRAIN_MS = 500;
/** An origin is given as many when its answers take long on average but not always: it, or this process, is busy. */
const BUSY_ORIGIN_MAX = 256;
/** More connections are of no use to an origin that answers so many times more slowly since it has them. */
const SLOWED_DOWN = 2;
/** A request is overtaken when so many times as many were answered as are on the wire. */
const OVERTAKEN = 2;
/** So long a silence says at the earliest that requests hang. */
const SILENT_MS = 250;
/** The peak of a minute is kept as those of two halves. */
const PEAK_EACH_MS = 30_000;
/** A slow origin may have so many times its peak. */
const PEAK_SPARE = 1.25;
/** An origin that has become slower by itself is taken to be slower by this each second. */
const BASE_RISE = 1.05;

/** A connection that is not open within this may be to an address that does not answer: others are opened beside it. */
const OPENS_WITHIN_MS = 250;
const OPENING_MAX = 32;

/**
 * Whether another connection to `origin` may be begun, by what is allowed and `spare` ones; `max` is the bound for one
 * origin.
 */
export function mayOpenMore(origin: Origin, max: number, nowMs: number, spare = 0): boolean {
  if (connectionsOf(origin) >= max || !mayOpenNow(origin, nowMs)) return false;
  return openOf(origin) + recentlyOpening(origin, nowMs) < origin.allowed + spare;
}

/** Whether a connection may be begun now: not too many at once, and not right after one that could not be had. */
export function mayOpenNow(origin: Origin, nowMs: number): boolean {
  return nowMs >= origin.openAgainAtMs && recentlyOpening(origin, nowMs) < OPENING_MAX;
}

/**
 * Decides how many connections an origin may have, while requests wait for one: so many more as its latency makes of what
 * waits, when it is slow, and one in the place of each that hangs. `max` is the bound for one origin; `isCalm` says that
 * the event loop had time, so that no answer lies in a socket.
 */
export function grow(origin: Origin, max: number, nowMs: number, isCalm: boolean): void {
  const hanging = countHanging(origin, nowMs, isCalm);
  const isSteady = isSteadilySlow(origin);
  if (isSteady || origin.latencyMs >= SLOW_MS) {
    const latencyMs = isSteady ? origin.quickestMs : origin.latencyMs;
    const lacking = Math.ceil(((readyOf(origin) + waitingOf(origin)) * latencyMs) / DRAIN_MS);
    raise(origin, connectionsOf(origin) - hanging + lacking, isSteady ? max : Math.min(max, BUSY_ORIGIN_MAX));
  }
  origin.allowed = Math.min(origin.grown + hanging, max);
}

/** Lets a slow origin have what falls due at `atMs` and shortly before, known ahead. Returns how many that is. */
export function growAhead(origin: Origin, atMs: number, max: number): number {
  if (!isSteadilySlow(origin)) return 0;
  const latencyMs = Math.min(origin.latencyMs, SLOWED_DOWN * origin.quickestMs);
  const needed = Math.min(origin.forecast.underWay(atMs, latencyMs), max);
  raise(origin, needed, max);
  origin.allowed = Math.max(origin.allowed, origin.grown);
  return needed;
}

/** Nothing waits: what hung no longer counts. */
export function settle(origin: Origin): void {
  origin.allowed = origin.grown;
}

/** Notes how many requests are on the wire at once. */
export function notePeak(origin: Origin): void {
  if (origin.busy.size > origin.peak) origin.peak = origin.busy.size;
}

/** The most requests that were on the wire at once in the last minute, or the last half of it. */
export const peakOf = (origin: Origin): number => Math.max(origin.peak, origin.peakBefore);

/** Forgets peaks of more than a minute ago. Once a second. */
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
 * Whether even the quickest of its answers takes long, and not because it has so many requests at once. The average does
 * not say so: it is long, too, when this process is busy and reads answers late.
 */
const isSteadilySlow = ({ quickestMs, baseMs }: Origin): boolean =>
  quickestMs >= SLOW_MS && !(quickestMs > SLOWED_DOWN * baseMs);

function raise(origin: Origin, needed: number, max: number): void {
  origin.grown = Math.max(origin.grown, Math.min(needed, max));
}

/** How many connections were begun in the last quarter of a second and are not open yet. */
function recentlyOpening(origin: Origin, nowMs: number): number {
  let n = 0;
  for (const { sinceMs } of origin.opening) if (nowMs - sinceMs < OPENS_WITHIN_MS) n++;
  return n;
}

/**
 * How many requests hang: others were answered twice over since they were begun, or none was for longer than this origin
 * usually takes.
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
