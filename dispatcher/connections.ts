import { earlyLeadMs } from "#domain/early-fire.ts";
import type { ConnectFailure, Connection } from "./connection.ts";
import type { GuardedAgent } from "./guarded-agent.ts";
import type { MinHeap } from "./min-heap.ts";
import {
  type Carried,
  connectionsOf,
  createOrigin,
  dropConnection,
  entitledTo,
  forgetAhead,
  freshlyOpening,
  hasRoom,
  headroom,
  isForgotten,
  isSlow,
  isStalled,
  noteAhead,
  noteAnswer,
  noteConnected,
  type Origin,
  readyOf,
  standingOf,
  waitingOf,
} from "./origin.ts";
import type { Planned } from "./planned.ts";
import type { Queue } from "./queue.ts";

export type ConnectionLimits = { perOrigin: number; perAccount: number; total: number };

const KEPT_MAX_MS = 60_000;
const UNUSED_MAX_MS = 4_000;
const OPEN_AGAIN_MS = 250;
const OPENING_MAX = 32;
/** As many connections as a fast origin is given; a slow one gets more as its requests pile up. */
const AHEAD_MAX = 64;
/** An account with fewer connections than this may use the last quarter of the process. */
const SMALL_ACCOUNT = 16;
const SERVED_AT_ONCE_MAX = 256;

/**
 * The connections of this process, by origin. Before it is claimed, a schedule is admitted here: there is a connection
 * for it, or the origin answers so fast that there will be one in time. What is not admitted waits, still cancellable,
 * and holds up only what goes to the same origin. Bounded per account and origin, per account and in all.
 */
export function createConnections(deps: {
  agent: GuardedAgent;
  limits: ConnectionLimits;
  monotonic: () => number;
  /** Now by the database's clock, ms. */
  now: () => number;
  /** A schedule that waited may try again. */
  onRoom: (planned: Planned) => void;
  /** A due schedule cannot have a connection. */
  onFailure: (planned: Planned, failure: ConnectFailure) => void;
  /** A mistake of this program, which it cannot go on with. */
  onError: (error: unknown) => void;
  /** A schedule that is not due yet is to be looked at again at `atMs`. */
  onLater: (planned: Planned, atMs: number) => void;
}) {
  const { limits, monotonic } = deps;
  const origins = new Map<string, Origin>();
  const usedByAccount = new Map<string, number>();
  const usedByPlace = new Map<string, number>();
  /** Those that wait included. */
  const wantedByPlace = new Map<string, number>();
  let total = 0;

  const originOf = (key: string): Origin => {
    let origin = origins.get(key);
    if (!origin) {
      origin = createOrigin(key);
      origins.set(key, origin);
    }
    return origin;
  };

  const withinLimits = (planned: Planned) =>
    (usedByPlace.get(planned.place) ?? 0) < limits.perOrigin &&
    (usedByAccount.get(planned.accountId) ?? 0) < limits.perAccount;

  /** One more (1) or one less (-1) wants a connection: an account gets so many of an origin at most. */
  const want = (origin: Origin, { place }: Planned, change: 1 | -1) => {
    const before = wantedByPlace.get(place) ?? 0;
    const after = before + change;
    if (after > 0) wantedByPlace.set(place, after);
    else wantedByPlace.delete(place);
    origin.wanted += Math.min(after, limits.perOrigin) - Math.min(before, limits.perOrigin);
  };

  const takeWaiting = (origin: Origin, waiting: MinHeap<Planned>): Planned | undefined => {
    const planned = waiting.pop();
    if (planned) want(origin, planned, -1);
    return planned;
  };

  const close = (origin: Origin, connection: Connection) => {
    dropConnection(origin, connection);
    connection.destroy();
  };

  const closeIdleOfAnother = (than: Origin): boolean => {
    for (const origin of origins.values()) {
      const idle =
        origin === than ? undefined : (origin.warm[0] ?? (origin.admitted === 0 ? origin.fresh[0] : undefined));
      if (!idle) continue;
      close(origin, idle);
      return true;
    }
    return false;
  };

  const mayOpen = (origin: Origin, planned: Planned | undefined): boolean => {
    const now = monotonic();
    if (now < origin.openAgainAtMs || freshlyOpening(origin, now) >= OPENING_MAX) return false;
    if (standingOf(origin) >= AHEAD_MAX && !isSlow(origin, now)) return false;
    const small = planned === undefined || (usedByAccount.get(planned.accountId) ?? 0) < SMALL_ACCOUNT;
    return total < (small ? limits.total : limits.total * 0.75) || closeIdleOfAnother(origin);
  };

  const open = (origin: Origin) => {
    const begun = { sinceMs: monotonic() };
    origin.opening.add(begun);
    total++;
    deps.agent
      .open(origin.key)
      .then((result) => {
        origin.opening.delete(begun);
        if (result.kind !== "open") {
          total--;
          return fail(origin, result);
        }
        const { connection } = result;
        connection.onBroken = () => {
          total--;
          dropConnection(origin, connection);
        };
        if (connection.broken) return connection.onBroken();
        noteConnected(origin, connection);
        origin.fresh.push(connection);
        serve(origin);
      })
      .catch(deps.onError);
  };

  /** The connection a request would go out on: the one used last, or a fresh one. */
  const pick = (origin: Origin, planned: Planned): Connection | undefined => {
    if (planned.fresh) return origin.fresh[0];
    for (;;) {
      const connection = origin.warm.at(-1) ?? origin.fresh[0];
      if (!connection || monotonic() - connection.openedAtMs < KEPT_MAX_MS) return connection;
      close(origin, connection);
    }
  };

  const give = (origin: Origin, carried: Carried, connection: Connection) => {
    dropConnection(origin, connection);
    origin.busy.set(connection, monotonic());
    if (carried.planned.admitted) origin.admitted--;
    carried.planned.admitted = false;
    const isFirst = !connection.used;
    connection.used = true;
    carried.begin(connection, isFirst);
  };

  const serveReady = (origin: Origin, ready: Queue<Carried>) => {
    for (let next = ready.peek(); next; next = ready.peek()) {
      const connection = pick(origin, next.planned);
      if (!connection) return;
      ready.shift();
      give(origin, next, connection);
    }
  };

  /** Hands connections to what waits for them: first to requests that are claimed and due, then to schedules. */
  const serve = (origin: Origin) => {
    serveReady(origin, origin.readyFresh);
    serveReady(origin, origin.ready);
    serveWaiting(origin, origin.waitingFresh);
    serveWaiting(origin, origin.waiting);
    demand(origin);
  };

  const serveWaiting = (origin: Origin, waiting: MinHeap<Planned>) => {
    if (waiting.size === 0) return;
    const now = monotonic();
    const room = origin.fresh.length + origin.warm.length + headroom(origin, now) - origin.admitted;
    const served: Planned[] = [];
    while (served.length < Math.min(room, SERVED_AT_ONCE_MAX)) {
      const planned = waiting.peek();
      if (!planned || (!planned.gone && !(hasRoom(origin, planned, now) && withinLimits(planned)))) break;
      takeWaiting(origin, waiting);
      if (!planned.gone) served.push(planned);
    }
    for (const planned of served) deps.onRoom(planned);
  };

  /**
   * Opens what the waiting ones need: one connection for each of them, and no more than their accounts may have, but for
   * retries, which cannot have those that stand.
   */
  const demand = (origin: Origin) => {
    const next = origin.waiting.peek();
    const fresh = origin.waitingFresh.size + origin.readyFresh.length;
    const others = origin.ready.length + (next && withinLimits(next) ? origin.waiting.size : 0);
    const opening = origin.opening.size;
    let needed = Math.min(
      fresh + others - opening,
      Math.max(fresh - opening, entitledTo(origin) - connectionsOf(origin)),
    );
    while (needed > 0 && mayOpen(origin, next ?? origin.waitingFresh.peek() ?? origin.ready.peek()?.planned)) {
      open(origin);
      needed--;
    }
  };

  /**
   * A connection could not be had. It was opened for one that waits: that one fails, if it is due and no other connection
   * will do for it. When nobody is due yet, it is tried again in a while.
   */
  const fail = (origin: Origin, failure: ConnectFailure) => {
    const stands = standingOf(origin) > 0;
    if (failure.kind === "local" || stands) origin.openAgainAtMs = monotonic() + OPEN_AGAIN_MS;
    if (failure.kind !== "local" && !failOne(origin, failure, stands) && !stands) {
      const now = deps.now();
      for (const waiting of [origin.waiting, origin.waitingFresh]) {
        for (const planned of waiting.drop(() => false)) {
          want(origin, planned, -1);
          deps.onLater(planned, Math.min(planned.sendAtMs, now + 500));
        }
      }
    }
    demand(origin);
  };

  const failOne = (origin: Origin, failure: ConnectFailure, stands: boolean): boolean => {
    const carried = origin.readyFresh.shift() ?? (stands ? undefined : origin.ready.shift());
    if (carried) {
      carried.fail(failure);
      return true;
    }
    for (const waiting of stands ? [origin.waitingFresh] : [origin.waitingFresh, origin.waiting]) {
      while (waiting.peek()?.gone) takeWaiting(origin, waiting);
      const planned = waiting.peek();
      if (!planned || planned.sendAtMs > deps.now()) continue;
      takeWaiting(origin, waiting);
      deps.onFailure(planned, failure);
      return true;
    }
    return false;
  };

  const closeUnused = (origin: Origin) => {
    const now = monotonic();
    for (const connection of [...origin.fresh]) {
      if (now - connection.openedAtMs >= UNUSED_MAX_MS) close(origin, connection);
    }
  };

  return {
    /** A schedule falls due within two seconds: connections that it will need are opened ahead. */
    expect(planned: Planned) {
      const origin = originOf(planned.origin);
      const n = noteAhead(origin, planned, limits.perOrigin);
      const lacks = planned.fresh
        ? origin.fresh.length + origin.opening.size === 0
        : connectionsOf(origin) < Math.min(n, AHEAD_MAX);
      if (lacks && mayOpen(origin, planned)) open(origin);
    },

    /** Whether `admit` would let `planned` through now. */
    hasRoom(planned: Planned): boolean {
      return withinLimits(planned) && hasRoom(originOf(planned.origin), planned, monotonic());
    },

    /** Whether `planned` may be claimed now; then it counts against its account and origin until `leave`. */
    admit(planned: Planned): boolean {
      if (!this.hasRoom(planned)) return false;
      const origin = originOf(planned.origin);
      origin.admitted++;
      want(origin, planned, 1);
      planned.admitted = true;
      planned.placed = true;
      usedByAccount.set(planned.accountId, (usedByAccount.get(planned.accountId) ?? 0) + 1);
      usedByPlace.set(planned.place, (usedByPlace.get(planned.place) ?? 0) + 1);
      return true;
    },

    /** Lets `planned` wait until it may be admitted, or until it is due and there is no connection to be had. */
    park(planned: Planned) {
      const origin = originOf(planned.origin);
      (planned.fresh ? origin.waitingFresh : origin.waiting).push(planned);
      want(origin, planned, 1);
      demand(origin);
    },

    /** Gives an admitted, claimed request its connection, now or as soon as there is one. */
    carry(carried: Carried) {
      const origin = originOf(carried.planned.origin);
      const ready = carried.planned.fresh ? origin.readyFresh : origin.ready;
      const connection = ready.length === 0 ? pick(origin, carried.planned) : undefined;
      if (connection) return give(origin, carried, connection);
      if (readyOf(origin) === 0) origin.readySinceMs = monotonic();
      ready.push(carried);
      demand(origin);
    },

    /** Gives up on the claimed requests that wait for a connection and that `which` names. */
    giveUp(which: (carried: Carried) => boolean) {
      for (const origin of origins.values()) {
        for (const ready of [origin.ready, origin.readyFresh]) {
          for (const carried of ready.length > 0 ? ready.take(which) : []) carried.giveUp();
        }
      }
    },

    /** Whether claimed requests to `key` wait in vain: they should go back. */
    isStalled: (key: string) => isStalled(originOf(key), monotonic()),

    /** Connections that are open or being opened. */
    size: () => total,

    /** Claimed requests that wait for a connection. */
    ready() {
      let n = 0;
      for (const origin of origins.values()) n += readyOf(origin);
      return n;
    },

    /** An admitted schedule is done with its connection, or never came to have one. */
    leave(planned: Planned) {
      if (!planned.placed) return;
      const origin = originOf(planned.origin);
      if (planned.admitted) origin.admitted--;
      planned.admitted = false;
      planned.placed = false;
      lessen(usedByAccount, planned.accountId);
      lessen(usedByPlace, planned.place);
      want(origin, planned, -1);
      serve(origin);
    },

    /** An answer came over `connection` after `latencyMs`. */
    answered(connection: Connection, latencyMs: number) {
      noteAnswer(originOf(connection.origin), latencyMs, monotonic());
    },

    /** The request on `connection` is over; `reusable` says whether another may follow on it. */
    giveBack(connection: Connection, reusable: boolean) {
      const origin = originOf(connection.origin);
      origin.busy.delete(connection);
      if (connection.broken) return;
      if (reusable && monotonic() - connection.openedAtMs < KEPT_MAX_MS) origin.warm.push(connection);
      else connection.destroy();
    },

    /** How far ahead of its instant a request to `key` leaves so as to arrive at it, ms. */
    earlyLeadMs: (key: string, sendCostMs: number): number =>
      earlyLeadMs({ connectRttMs: origins.get(key)?.roundTripMs ?? null, sendCostMs }),

    /** Opens what slow origins need by now, closes what was opened in vain, forgets origins that nobody uses. */
    runOnce() {
      for (const [key, origin] of origins) {
        forgetAhead(origin, deps.now() - 1_000);
        demand(origin);
        const wanted = origin.admitted + waitingOf(origin) + readyOf(origin) + origin.ahead.size;
        if (wanted === 0) closeUnused(origin);
        if (connectionsOf(origin) + wanted === 0 && isForgotten(origin, monotonic())) origins.delete(key);
      }
    },

    close() {
      for (const origin of origins.values()) {
        for (const connection of [...origin.fresh, ...origin.warm, ...origin.busy.keys()]) connection.destroy();
      }
    },
  };
}

export type Connections = ReturnType<typeof createConnections>;

function lessen(counts: Map<string, number>, key: string) {
  const n = (counts.get(key) ?? 0) - 1;
  if (n > 0) counts.set(key, n);
  else counts.delete(key);
}
