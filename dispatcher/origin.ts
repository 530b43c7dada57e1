import type { ConnectFailure, Connection } from "./connection.ts";
import { createMinHeap, type MinHeap } from "./min-heap.ts";
import { leavesBefore, type Planned } from "./planned.ts";
import { createQueue, type Queue } from "./queue.ts";

/** A claimed request that wants a connection, and what becomes of it. */
export type Carried = {
  planned: Planned;
  /** `isFirst`: nothing was sent on this connection before. */
  begin: (connection: Connection, isFirst: boolean) => void;
  fail: (failure: ConnectFailure) => void;
  isTooLate: () => boolean;
  giveUp: () => void;
};

/** What a process knows of one origin: its connections, who waits for them, how fast it answers. */
export type Origin = {
  key: string;
  /** Connected, nothing sent yet. */
  fresh: Connection[];
  /** Kept alive after an answer, the latest last. */
  warm: Connection[];
  /** With when their request began, monotonic ms, the oldest first. */
  busy: Map<Connection, number>;
  /** When each connection that is on its way was begun, monotonic ms. */
  opening: Set<{ sinceMs: number }>;
  /** No connection is opened before this, monotonic ms: one could not be had, and others serve meanwhile. */
  openAgainAtMs: number;
  /** Schedules let through to be claimed that hold no connection yet. */
  admitted: number;
  /** Not claimed yet, waiting for a connection; those that need a fresh one apart. */
  waiting: MinHeap<Planned>;
  waitingFresh: MinHeap<Planned>;
  /** Claimed and due, waiting for a connection; those that need a fresh one apart. */
  ready: Queue<Carried>;
  readyFresh: Queue<Carried>;
  readySinceMs: number;
  /** How many connections those who are admitted or wait may have, with what each account may have. */
  wanted: number;
  /** Due per 10 ms, of what is at most two seconds ahead: how many connections will be needed at once, by account and in all. */
  ahead: Map<number, { byPlace: Map<string, number>; needed: number }>;
  /** From request to status line; before the first one, what connecting took. */
  latencyMs: number;
  answeredAtMs: number;
  roundTripMs: number | null;
};

const SLOW_MS = 50;
const STALLED_MS = 250;
const LATENCY_MIN_MS = 1;
/** What is admitted is sent within this, by what its origin has been answering: well before it would be given back. */
const HEADROOM_MS = 1_000;
const REMEMBERED_MS = 600_000;
const AHEAD_BUCKET_MS = 10;

export function createOrigin(key: string): Origin {
  return {
    key,
    fresh: [],
    warm: [],
    busy: new Map(),
    opening: new Set(),
    openAgainAtMs: 0,
    admitted: 0,
    waiting: createMinHeap<Planned>(leavesBefore),
    waitingFresh: createMinHeap<Planned>(leavesBefore),
    ready: createQueue<Carried>(),
    readyFresh: createQueue<Carried>(),
    readySinceMs: 0,
    wanted: 0,
    ahead: new Map(),
    latencyMs: Number.NaN,
    answeredAtMs: Number.NEGATIVE_INFINITY,
    roundTripMs: null,
  };
}

/** Connections of this origin that stand. */
export const standingOf = (origin: Origin) => origin.fresh.length + origin.warm.length + origin.busy.size;

/** Connections of this origin, those on their way included. */
export const connectionsOf = (origin: Origin) => standingOf(origin) + origin.opening.size;

/** How many connections those who want one may have. */
export const entitledTo = (origin: Origin) => Math.max(origin.wanted, origin.busy.size + readyOf(origin));

/** How many connections were begun in the last quarter of a second and are not there yet. */
export function freshlyOpening(origin: Origin, nowMs: number): number {
  let n = 0;
  for (const { sinceMs } of origin.opening) if (nowMs - sinceMs < STALLED_MS) n++;
  return n;
}

export const waitingOf = (origin: Origin) => origin.waiting.size + origin.waitingFresh.size;

export const readyOf = (origin: Origin) => origin.ready.length + origin.readyFresh.length;

/** The oldest request on the way has been out for longer than this origin usually takes. */
export function isSlow(origin: Origin, nowMs: number): boolean {
  const [oldest] = origin.busy.values();
  return oldest !== undefined && nowMs - oldest > Math.max(SLOW_MS, 4 * (origin.latencyMs || 0));
}

/** Claimed requests have waited for a quarter of a second and nothing was answered meanwhile. */
export function isStalled(origin: Origin, nowMs: number): boolean {
  return readyOf(origin) > 0 && nowMs - Math.max(origin.readySinceMs, origin.answeredAtMs) > STALLED_MS;
}

/**
 * How many more requests this origin will take within a second beyond its free connections, by what it has been
 * answering: so much may be claimed ahead. A slow one is given none.
 */
export function headroom(origin: Origin, nowMs: number): number {
  if (Number.isNaN(origin.latencyMs) || isSlow(origin, nowMs)) return 0;
  return Math.floor((standingOf(origin) * HEADROOM_MS) / Math.max(origin.latencyMs, LATENCY_MIN_MS));
}

/** Whether one more may be let through to be claimed. */
export function hasRoom(origin: Origin, planned: Planned, nowMs: number): boolean {
  if (planned.fresh) return origin.fresh.length > origin.admitted;
  const free = origin.fresh.length + origin.warm.length;
  return free > origin.admitted || free + headroom(origin, nowMs) > origin.admitted;
}

/** Notes that a request falls due; returns how many connections its 10 ms need, `perPlace` for each account at most. */
export function noteAhead(origin: Origin, { sendAtMs, place }: Planned, perPlace: number): number {
  const at = Math.floor(sendAtMs / AHEAD_BUCKET_MS);
  let bucket = origin.ahead.get(at);
  if (!bucket) {
    bucket = { byPlace: new Map(), needed: 0 };
    origin.ahead.set(at, bucket);
  }
  const n = (bucket.byPlace.get(place) ?? 0) + 1;
  bucket.byPlace.set(place, n);
  if (n <= perPlace) bucket.needed++;
  return bucket.needed;
}

export function forgetAhead(origin: Origin, beforeMs: number) {
  const past = Math.floor(beforeMs / AHEAD_BUCKET_MS);
  for (const bucket of origin.ahead.keys()) if (bucket < past) origin.ahead.delete(bucket);
}

/** Notes a new connection. Until the first answer the quickest of them stands for what one takes. */
export function noteConnected(origin: Origin, { connectMs, roundTripMs }: Connection) {
  origin.roundTripMs = roundTripMs;
  if (origin.answeredAtMs > Number.NEGATIVE_INFINITY) return;
  origin.latencyMs = Number.isNaN(origin.latencyMs) ? connectMs : Math.min(origin.latencyMs, connectMs);
}

/** Whether what is known of an origin without connections may go: its last answer is long past. */
export const isForgotten = (origin: Origin, nowMs: number): boolean => nowMs - origin.answeredAtMs > REMEMBERED_MS;

/** Notes how long an answer took, ms. */
export function noteAnswer(origin: Origin, latencyMs: number, nowMs: number) {
  const first = origin.answeredAtMs === Number.NEGATIVE_INFINITY;
  origin.latencyMs = first ? latencyMs : origin.latencyMs * 0.9 + latencyMs * 0.1;
  origin.answeredAtMs = nowMs;
}

/** Takes a connection out of every list. */
export function dropConnection(origin: Origin, connection: Connection) {
  for (const list of [origin.warm, origin.fresh]) {
    const at = list.lastIndexOf(connection);
    if (at >= 0) list.splice(at, 1);
  }
  origin.busy.delete(connection);
}
