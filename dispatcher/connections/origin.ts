import type { Connection } from "../delivery/connection.ts";
import { type Delivery, leavesBefore } from "../delivery/delivery.ts";
import type { Opening, OwnedConnection, Place } from "./accounts.ts";
import { ConnectionForecast } from "./connection-forecast.ts";
import { KeepAlive } from "./keep-alive.ts";
import { PreparationTime } from "./preparation-time.ts";
import { ReadyQueue } from "./ready-queue.ts";
import { WaitingQueue } from "./waiting-queue.ts";

/** What this process knows of one origin: its connections, the deliveries that wait for them, how fast it answers. */
export type Origin = {
  readonly key: string;
  /** Connections on which nothing was sent yet. */
  readonly unused: OwnedConnection[];
  /** Connections kept alive after an answer; the last used one is last. */
  readonly warm: OwnedConnection[];
  /** Connections with a request, and when it began, monotonic ms; the oldest first. */
  readonly busy: Map<OwnedConnection, number>;
  readonly opening: Set<Opening>;
  /** The accounts that its connections count for, by id. */
  readonly places: Map<string, Place>;
  /**
   * How many connections may be open, given how many requests wait. `growth.ts` writes this and the next four fields.
   */
  allowed: number;
  /** The same, without those that hanging requests allow. */
  grown: number;
  /** The most requests at once since `peakSinceMs` (monotonic ms), and in the half minute before that. */
  peak: number;
  peakBefore: number;
  peakSinceMs: number;
  /**
   * Whether requests wait because the origin may not have more connections. If so, it is checked ten times a second.
   */
  isPressed: boolean;
  /** Whether it may have idle connections, which could be closed to make room for others. */
  mayHaveIdle: boolean;
  /** Whether it is in the set of active origins. */
  isActive: boolean;
  /** No connection is opened before this, monotonic ms, because the last try failed. */
  openAgainAtMs: number;
  /** Unclaimed deliveries that wait for a connection. Those that need a new one are in a queue of their own. */
  readonly waiting: WaitingQueue;
  readonly waitingForNew: WaitingQueue;
  /** Claimed and due deliveries that wait for a connection. Those that need a new one are in a queue of their own. */
  readonly ready: ReadyQueue;
  readonly readyForNew: ReadyQueue;
  /**
   * Deliveries that were let through for a spare connection, and may have one by now; written by `spare.ts` and the
   * waiting list.
   */
  readonly spare: Set<Delivery>;
  /** The latest due time of the deliveries that were let through to their claim, ms. */
  frontierMs: number;
  /** Since when a claimed request has waited for a connection, monotonic ms. */
  readySinceMs: number;
  /**
   * Whether claimed requests were put back, and it has neither answered nor got a connection since. Then nothing is let through
   * without a connection, so that what was put back stays ahead of what is due after it.
   */
  isStuck: boolean;
  readonly forecast: ConnectionForecast;
  /** Average time from request to status line, ms; before the first answer, the time that connecting took. */
  latencyMs: number;
  /** Average confirmed latency, ms: without the time that answers may have waited in sockets of this busy process. */
  provenMs: number;
  /** The quickest answer of the current second and of the one before, ms; NaN when there was none. */
  quickestNowMs: number;
  quickestMs: number;
  /** Base latency, ms: the quickest answer with no more requests at once than a fast origin gets connections. */
  baseMs: number;
  /** How many answers there have been. */
  answers: number;
  /** Number of answers at `paceSinceMs` (monotonic ms), and answers per millisecond in the period before it. */
  paceFrom: number;
  paceSinceMs: number;
  pacePerMs: number;
  answeredAtMs: number;
  roundTripMs: number | null;
  readonly preparation: PreparationTime;
  readonly keepAlive: KeepAlive;
};

/** How many connections a fast origin gets. More make a burst no faster, and each costs a handshake at both ends. */
export const FAST_ORIGIN_MAX = 64;
/** An origin whose answers take this long is slow, ms. */
export const SLOW_MS = 50;
const SLOW_FACTOR = 4;
/**
 * If an origin answers nothing for this long, its claimed requests are put back, ms. It is longer than the quarter of a
 * second for which a busy origin or machine pauses: each that is put back costs two statements.
 */
const STALLED_MS = 1_000;
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
    isStuck: false,
    forecast: new ConnectionForecast(),
    latencyMs: Number.NaN,
    provenMs: 0,
    quickestNowMs: Number.NaN,
    quickestMs: Number.NaN,
    baseMs: Number.NaN,
    answers: 0,
    paceFrom: 0,
    paceSinceMs: Number.NEGATIVE_INFINITY,
    pacePerMs: 0,
    answeredAtMs: Number.NEGATIVE_INFINITY,
    roundTripMs: null,
    preparation: new PreparationTime(),
    keepAlive: new KeepAlive(),
  };
}

/** How many connections of this origin are open. */
export const openOf = (origin: Origin): number => origin.unused.length + origin.warm.length + origin.busy.size;

/** How many connections of this origin are open or being opened. */
export const connectionsOf = (origin: Origin): number => openOf(origin) + origin.opening.size;

/** How many schedules wait for a connection before their claim. */
export const waitingOf = (origin: Origin): number => origin.waiting.size + origin.waitingForNew.size;

/** The queue in which `delivery` waits before its claim. */
export const waitingAs = (origin: Origin, { needsNewConnection }: Delivery): WaitingQueue =>
  needsNewConnection ? origin.waitingForNew : origin.waiting;

/**
 * Whether the same account has a waiting delivery that is due before `delivery`. `delivery` must not overtake it, even
 * if the earlier one is too late to count as urgent.
 */
export function isBehind(origin: Origin, delivery: Delivery): boolean {
  const first = waitingAs(origin, delivery).firstOf(delivery.place);
  return first !== undefined && leavesBefore(first, delivery);
}

/** How many claimed requests wait for a connection. */
export const readyOf = (origin: Origin): number => origin.ready.size + origin.readyForNew.size;

/** A request on the wire for longer than this takes longer than usual at this origin, ms. */
export const slowAfterMs = (origin: Origin): number => Math.max(SLOW_MS, SLOW_FACTOR * (origin.latencyMs || 0));

/** Whether the oldest request on the wire takes longer than usual at this origin. */
export function isSlow(origin: Origin, nowMs: number): boolean {
  const oldest = origin.busy.values().next().value;
  return oldest !== undefined && nowMs - oldest > slowAfterMs(origin);
}

/** Whether claimed requests have waited for a second in which the origin answered nothing. */
export function isStalled(origin: Origin, nowMs: number): boolean {
  return readyOf(origin) > 0 && nowMs - Math.max(origin.readySinceMs, origin.answeredAtMs) > STALLED_MS;
}

/** Records a new connection. Until the first answer, the shortest connect time is used as the latency. */
export function noteConnected(origin: Origin, { connectMs, roundTripMs }: Connection): void {
  origin.roundTripMs = roundTripMs;
  origin.isStuck = false;
  if (origin.answeredAtMs > Number.NEGATIVE_INFINITY) return;
  origin.latencyMs = Number.isNaN(origin.latencyMs) ? connectMs : Math.min(origin.latencyMs, connectMs);
}

/** Records an answer: its latency until it was read, and its confirmed latency (before it arrived), `provenMs`. */
export function noteAnswer(
  origin: Origin,
  { latencyMs, provenMs }: { latencyMs: number; provenMs: number },
  nowMs: number,
): void {
  const isFirst = origin.answeredAtMs === Number.NEGATIVE_INFINITY;
  origin.latencyMs = isFirst ? latencyMs : origin.latencyMs * 0.9 + latencyMs * 0.1;
  origin.provenMs = isFirst ? provenMs : origin.provenMs * 0.9 + provenMs * 0.1;
  origin.answeredAtMs = nowMs;
  origin.isStuck = false;
  origin.answers++;
  if (!(origin.quickestNowMs <= latencyMs)) origin.quickestNowMs = latencyMs;
}

/** Whether something waits for a connection to this origin, has `reserved` one, or falls due soon. */
export const isWanted = (origin: Origin, reserved: number): boolean =>
  reserved + waitingOf(origin) + readyOf(origin) > 0 || !origin.forecast.isEmpty();

/** Whether the origin has no connections and nothing wants one. */
export const isIdle = (origin: Origin, reserved: number): boolean =>
  connectionsOf(origin) === 0 && !isWanted(origin, reserved);

/** Removes a connection without a request from its list. */
export function dropIdle(origin: Origin, connection: OwnedConnection): void {
  for (const list of [origin.warm, origin.unused]) {
    const at = list.lastIndexOf(connection);
    if (at >= 0) list.splice(at, 1);
  }
}
