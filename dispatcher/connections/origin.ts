import type { Connection } from "../delivery/connection.ts";
import type { Delivery } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";
import type { Opening, OwnedConnection, Place } from "./accounts.ts";
import { ConnectionForecast } from "./connection-forecast.ts";
import { ReadyQueue } from "./ready-queue.ts";
import { WaitingQueue } from "./waiting-queue.ts";

/** What a process knows of one origin: its connections, who waits for them, how fast it answers. */
export type Origin = {
  readonly key: string;
  /** Connected, nothing sent yet. */
  readonly unused: OwnedConnection[];
  /** Kept alive after an answer, the latest last. */
  readonly warm: OwnedConnection[];
  /** With when their request began, monotonic ms, the oldest first. */
  readonly busy: Map<OwnedConnection, number>;
  readonly opening: Set<Opening>;
  /** The accounts that connections count for, by their ids. */
  readonly places: Map<string, Place>;
  /** So many connections may be open, by how much waits for them; written by `growth.ts`, as are the next four. */
  allowed: number;
  /** The same, without those that are allowed in the place of what hangs. */
  grown: number;
  /** The most requests at once since `peakSinceMs`, monotonic ms, and in the half minute before. */
  peak: number;
  peakBefore: number;
  peakSinceMs: number;
  /** Something waits for more connections than it may have: it is looked at ten times a second. */
  isPressed: boolean;
  /** It may have idle connections, which others could make room by. */
  mayHaveIdle: boolean;
  /** It is in the set of active origins. */
  isActive: boolean;
  /** No connection is opened before this, monotonic ms: one could not be had, and others serve meanwhile. */
  openAgainAtMs: number;
  /** Not claimed yet, waiting for a connection; those that need a new one apart. */
  readonly waiting: WaitingQueue;
  readonly waitingForNew: WaitingQueue;
  /** Claimed and due, waiting for a connection; those that need a new one apart. */
  readonly ready: ReadyQueue;
  readonly readyForNew: ReadyQueue;
  /** Let through for a spare connection, and perhaps having one by now; written by `spare.ts` and the waiting list. */
  readonly spare: Set<Delivery>;
  /** When the last one is due of those that were let through to be claimed, ms. */
  frontierMs: number;
  /** Since when a claimed request has been waiting, monotonic ms. */
  readySinceMs: number;
  readonly forecast: ConnectionForecast;
  /** From request to status line; before the first one, what connecting took. */
  latencyMs: number;
  /** The quickest answer of the current second, and of the one before; not a number when there was none. */
  quickestNowMs: number;
  quickestMs: number;
  /** The same, while it had no more requests at once than a fast origin is given. */
  baseMs: number;
  /** How many answers there were. */
  answers: number;
  /** How many there were by `paceSinceMs`, monotonic ms, and a millisecond in the time before. */
  paceFrom: number;
  paceSinceMs: number;
  pacePerMs: number;
  answeredAtMs: number;
  roundTripMs: number | null;
};

/** A fast origin is given as many connections: more make a burst no faster, and each costs a handshake at both ends. */
export const FAST_ORIGIN_MAX = 64;
/** An origin whose answers take longer is slow. */
export const SLOW_MS = 50;
const SLOW_FACTOR = 4;
const STALLED_MS = 250;
const LATENCY_MIN_MS = 1;
/** What is admitted is sent within this, by what its origin has been answering: well before it would be given back. */
const HEADROOM_MS = 250;
/** What is late by no more is let through without room, and so many at most. */
const URGENT_MS = 500;
const OVERDRAWN_MAX = 8_192;
/** The pace of its answers is measured over this. */
const PACE_MS = 250;
/** What is late may be let through for as long ahead as this, by the pace of the answers, and so many at least. */
const LATE_AHEAD_MS = 200;
const LATE_AHEAD_MIN = 512;

export function createOrigin(key: string): Origin {
  return {
    key,
    unused: [],
    warm: [],
    busy: new Map(),
    opening: new Set(),
    places: new Map(),
    allowed: FAST_ORIGIN_MAX,
    grown: FAST_ORIGIN_MAX,
    peak: 0,
    peakBefore: 0,
    peakSinceMs: Number.NEGATIVE_INFINITY,
    isPressed: false,
    mayHaveIdle: false,
    isActive: false,
    openAgainAtMs: 0,
    waiting: new WaitingQueue(),
    waitingForNew: new WaitingQueue(),
    ready: new ReadyQueue(),
    readyForNew: new ReadyQueue(),
    spare: new Set(),
    frontierMs: Number.NEGATIVE_INFINITY,
    readySinceMs: 0,
    forecast: new ConnectionForecast(),
    latencyMs: Number.NaN,
    quickestNowMs: Number.NaN,
    quickestMs: Number.NaN,
    baseMs: Number.NaN,
    answers: 0,
    paceFrom: 0,
    paceSinceMs: Number.NEGATIVE_INFINITY,
    pacePerMs: 0,
    answeredAtMs: Number.NEGATIVE_INFINITY,
    roundTripMs: null,
  };
}

/** How many connections of this origin are open. */
export const openOf = (origin: Origin): number => origin.unused.length + origin.warm.length + origin.busy.size;

/** How many connections of this origin are open or being opened. */
export const connectionsOf = (origin: Origin): number => openOf(origin) + origin.opening.size;

/** How many schedules wait for a connection before their claim. */
export const waitingOf = (origin: Origin): number => origin.waiting.size + origin.waitingForNew.size;

/** How many claimed requests wait for a connection. */
export const readyOf = (origin: Origin): number => origin.ready.size + origin.readyForNew.size;

/** A request that has been on the wire for longer than this, ms, takes longer than this origin usually does. */
export const slowAfterMs = (origin: Origin): number => Math.max(SLOW_MS, SLOW_FACTOR * (origin.latencyMs || 0));

/** Whether the oldest request on the wire has been out for longer than this origin usually takes. */
export function isSlow(origin: Origin, nowMs: number): boolean {
  const oldest = origin.busy.values().next().value;
  return oldest !== undefined && nowMs - oldest > slowAfterMs(origin);
}

/** Whether claimed requests have waited for a quarter of a second and nothing was answered meanwhile. */
export function isStalled(origin: Origin, nowMs: number): boolean {
  return readyOf(origin) > 0 && nowMs - Math.max(origin.readySinceMs, origin.answeredAtMs) > STALLED_MS;
}

/**
 * How many more requests this origin will take within a second beyond its free connections, by what it has been
 * answering: so many may be claimed ahead. A slow one is given none.
 */
function headroom(origin: Origin, nowMs: number): number {
  if (Number.isNaN(origin.latencyMs) || isSlow(origin, nowMs)) return 0;
  return Math.floor((openOf(origin) * HEADROOM_MS) / Math.max(origin.latencyMs, LATENCY_MIN_MS));
}

/**
 * How many more deliveries that take any connection may be let through to be claimed, when `reserved` were let through
 * that have none yet.
 */
export function roomFor(origin: Origin, reserved: number, nowMs: number): number {
  return origin.unused.length + origin.warm.length - reserved + headroom(origin, nowMs);
}

/**
 * How many deliveries may have been let through and have no connection yet when another one that is late is to be: what
 * is on time would have to wait behind more of them.
 */
export function lateMax(origin: Origin, nowMs: number): number {
  const forMs = nowMs - origin.paceSinceMs;
  if (forMs >= PACE_MS) {
    origin.pacePerMs = (origin.answers - origin.paceFrom) / forMs;
    origin.paceFrom = origin.answers;
    origin.paceSinceMs = nowMs;
  }
  return Math.max(origin.pacePerMs * LATE_AHEAD_MS, LATE_AHEAD_MIN);
}

/**
 * Whether a delivery is let through though `room` is none: its origin is quick, and it is due now and not late by much, or
 * is due before the last of those that were let through, which it overtakes.
 */
export function isUrgent(origin: Origin, { sendAtMs }: { sendAtMs: number }, room: number, clock: Time): boolean {
  const nowMs = clock.now();
  const isDue = sendAtMs <= nowMs && sendAtMs > nowMs - URGENT_MS;
  if (!isDue && (sendAtMs <= nowMs || sendAtMs >= origin.frontierMs)) return false;
  return -room < OVERDRAWN_MAX && headroom(origin, clock.monotonic()) > 0;
}

/** Notes a new connection. Until the first answer the quickest of them stands for what a request takes. */
export function noteConnected(origin: Origin, { connectMs, roundTripMs }: Connection): void {
  origin.roundTripMs = roundTripMs;
  if (origin.answeredAtMs > Number.NEGATIVE_INFINITY) return;
  origin.latencyMs = Number.isNaN(origin.latencyMs) ? connectMs : Math.min(origin.latencyMs, connectMs);
}

/** Notes how long an answer took, ms. */
export function noteAnswer(origin: Origin, latencyMs: number, nowMs: number): void {
  const isFirst = origin.answeredAtMs === Number.NEGATIVE_INFINITY;
  origin.latencyMs = isFirst ? latencyMs : origin.latencyMs * 0.9 + latencyMs * 0.1;
  origin.answeredAtMs = nowMs;
  origin.answers++;
  if (!(origin.quickestNowMs <= latencyMs)) origin.quickestNowMs = latencyMs;
}

/** Whether something waits for a connection to an origin, has one of `reserved`, or falls due soon. */
export const isWanted = (origin: Origin, reserved: number): boolean =>
  reserved + waitingOf(origin) + readyOf(origin) > 0 || !origin.forecast.isEmpty();

/** Whether an origin is not wanted and has no connection, so that nothing is to be done for it. */
export const isIdle = (origin: Origin, reserved: number): boolean =>
  connectionsOf(origin) === 0 && !isWanted(origin, reserved);

/** Takes a connection without a request out of its list. */
export function dropIdle(origin: Origin, connection: OwnedConnection): void {
  for (const list of [origin.warm, origin.unused]) {
    const at = list.lastIndexOf(connection);
    if (at >= 0) list.splice(at, 1);
  }
}
