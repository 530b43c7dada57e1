import type { Connection } from "../delivery/connection.ts";
import type { Delivery } from "../delivery/delivery.ts";
import { Fifo } from "../runtime/fifo.ts";
import { ConnectionForecast } from "./connection-forecast.ts";
import { WaitingQueue } from "./waiting-queue.ts";

/** What a process knows of one origin: its connections, who waits for them, how fast it answers. */
export type Origin = {
  readonly key: string;
  /** Connected, nothing sent yet. */
  readonly unused: Connection[];
  /** Kept alive after an answer, the latest last. */
  readonly warm: Connection[];
  /** With when their request began, monotonic ms, the oldest first. */
  readonly busy: Map<Connection, number>;
  /** When each connection that is being opened was begun, monotonic ms. */
  readonly opening: Set<{ sinceMs: number }>;
  /** No connection is opened before this, monotonic ms: one could not be had, and others serve meanwhile. */
  openAgainAtMs: number;
  /** Not claimed yet, waiting for a connection; those that need a new one apart. */
  readonly waiting: WaitingQueue;
  readonly waitingForNew: WaitingQueue;
  /** Claimed and due, waiting for a connection; those that need a new one apart. */
  readonly ready: Fifo<Delivery>;
  readonly readyForNew: Fifo<Delivery>;
  /** Since when a claimed request has been waiting, monotonic ms. */
  readySinceMs: number;
  readonly forecast: ConnectionForecast;
  /** From request to status line; before the first one, what connecting took. */
  latencyMs: number;
  answeredAtMs: number;
  roundTripMs: number | null;
};

const SLOW_MS = 50;
const SLOW_FACTOR = 4;
const STALLED_MS = 250;
const LATENCY_MIN_MS = 1;
/** What is admitted is sent within this, by what its origin has been answering: well before it would be given back. */
const HEADROOM_MS = 1_000;

export function createOrigin(key: string): Origin {
  return {
    key,
    unused: [],
    warm: [],
    busy: new Map(),
    opening: new Set(),
    openAgainAtMs: 0,
    waiting: new WaitingQueue(),
    waitingForNew: new WaitingQueue(),
    ready: new Fifo<Delivery>(),
    readyForNew: new Fifo<Delivery>(),
    readySinceMs: 0,
    forecast: new ConnectionForecast(),
    latencyMs: Number.NaN,
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
export const readyOf = (origin: Origin): number => origin.ready.length + origin.readyForNew.length;

/** How many connections were begun in the last quarter of a second and are not open yet. */
export function recentlyOpening(origin: Origin, nowMs: number): number {
  let n = 0;
  for (const { sinceMs } of origin.opening) if (nowMs - sinceMs < STALLED_MS) n++;
  return n;
}

/** Whether the oldest request on the wire has been out for longer than this origin usually takes. */
export function isSlow(origin: Origin, nowMs: number): boolean {
  const [oldest] = origin.busy.values();
  return oldest !== undefined && nowMs - oldest > Math.max(SLOW_MS, SLOW_FACTOR * (origin.latencyMs || 0));
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

/** Deliveries that were let through to be claimed and have no connection yet; those that need a new one apart. */
export type Reserved = { any: number; forNew: number };

/** Whether one more may be let through to be claimed. */
export function hasRoom(origin: Origin, delivery: Delivery, reserved: Reserved, nowMs: number): boolean {
  if (delivery.needsNewConnection) return origin.unused.length > reserved.forNew;
  return roomFor(origin, reserved, nowMs) > 0;
}

/** How many more that take any connection may be let through to be claimed. */
export function roomFor(origin: Origin, reserved: Reserved, nowMs: number): number {
  const free = origin.unused.length + origin.warm.length - reserved.forNew - reserved.any;
  return free + headroom(origin, nowMs);
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
}

/** Whether something waits for a connection to an origin, has one reserved, or falls due soon. */
export const isWanted = (origin: Origin, reserved: Reserved): boolean =>
  reserved.any + reserved.forNew + waitingOf(origin) + readyOf(origin) > 0 || !origin.forecast.isEmpty();

/** Whether an origin is not wanted and has no connection, so that nothing is to be done for it. */
export const isIdle = (origin: Origin, reserved: Reserved): boolean =>
  connectionsOf(origin) === 0 && !isWanted(origin, reserved);

/** Takes a connection out of every list. */
export function dropConnection(origin: Origin, connection: Connection): void {
  for (const list of [origin.warm, origin.unused]) {
    const at = list.lastIndexOf(connection);
    if (at >= 0) list.splice(at, 1);
  }
  origin.busy.delete(connection);
}
