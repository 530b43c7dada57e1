import type { ConnectFailure, Connection } from "../delivery/connection.ts";
import type { Deliveries } from "../delivery/deliveries.ts";
import type { Delivery } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";
import { failOne, failOverdue, pauseAfter, tryLater } from "./connect-failures.ts";
import type { Demand } from "./demand.ts";
import { hasRoom } from "./has-room.ts";
import { type ConnectionLimits, hasFewerInAll, isWithinLimits } from "./limits.ts";
import { isStalled, type Origin, openOf, readyOf, waitingAs, waitingOf } from "./origin.ts";
import type { Origins } from "./origins.ts";
import type { Pool } from "./pool.ts";
import type { PoolListener } from "./pool-listener.ts";
import type { ReadyQueue } from "./ready-queue.ts";
import { isTimely, isUrgent, lateMax, mayOverdraw, roomFor, takeIf } from "./room.ts";
import { hasFew, hasSpare, mayUse, noteSpare, SPARE_MAX } from "./spare.ts";
import type { WaitingQueue } from "./waiting-queue.ts";

const OPEN_AGAIN_MS = 250;
const SERVED_AT_ONCE_MAX = 256;
/** How many origins are served at once when an account may have connections again. */
const ORIGINS_AT_ONCE_MAX = 32;

type Deps = {
  deliveries: Deliveries;
  origins: Origins;
  pool: Pool;
  demand: Demand;
  limits: ConnectionLimits;
  clock: Time;
};

/**
 * The deliveries that wait for a connection. Before its claim a delivery waits until there is a connection for it, or
 * until its origin answers fast enough that one will be free in time. Meanwhile it stays cancellable, and delays only
 * deliveries to the same origin. After its claim, when it is due, it waits for the connection that was reserved for it.
 */
export class WaitingList implements PoolListener {
  readonly #deps: Deps;
  /** Origins for which claimed deliveries may wait. */
  readonly #withReady = new Set<Origin>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Takes a delivery that is about to fall due and for which there is no room. */
  add(delivery: Delivery): void {
    const origin = this.#deps.origins.originOf(delivery.origin);
    waitingAs(origin, delivery).push(delivery);
    this.#noteFull(origin, delivery);
    // If all deliveries before it were removed, no returning connection would serve the queue. So check now.
    if (this.hasRoom(delivery)) this.#serve(origin);
    else this.#deps.demand.meet(origin);
  }

  /** Whether `delivery` may reserve a connection now. */
  hasRoom(delivery: Delivery): boolean {
    return hasRoom(delivery, this.#deps);
  }

  /** Lets `delivery` go on, if there is room and no other waits for the origin. Otherwise it waits here. */
  letPass(delivery: Delivery): void {
    const origin = this.#deps.origins.originOf(delivery.origin);
    if (waitingAs(origin, delivery).size === 0 && this.hasRoom(delivery)) this.#letThrough(origin, delivery);
    else this.#deps.deliveries.move(delivery, "awaiting connection");
  }

  /** Whether unclaimed deliveries wait for a connection to this origin. */
  isFull(key: string): boolean {
    const origin = this.#deps.origins.get(key);
    return origin !== undefined && waitingOf(origin) > 0;
  }

  /** Takes a claimed delivery that is due. It gets a connection now, or as soon as there is one. */
  addReady(delivery: Delivery): void {
    const { origins, pool, demand, clock } = this.#deps;
    const origin = origins.originOf(delivery.origin);
    const queue = delivery.needsNewConnection ? origin.readyForNew : origin.ready;
    const connection = queue.size === 0 ? pool.acquire(origin, delivery) : undefined;
    if (connection) {
      this.#assign(delivery, connection);
      return;
    }
    if (readyOf(origin) === 0) origin.readySinceMs = clock.monotonic();
    queue.push(delivery);
    this.#withReady.add(origin);
    // Deliveries before it in the queue may not be allowed to use the free connections.
    this.#serveReady(origin, queue);
    demand.meet(origin);
  }

  /** Removes and returns the claimed deliveries that `which` accepts. Takes linear time. */
  takeReady(which: (delivery: Delivery) => boolean): Delivery[] {
    return [...this.#withReady].flatMap((origin) => this.#takeReadyOf(origin, which));
  }

  /** Removes and returns the claimed deliveries to origins that answer nothing, which are stuck from now on. */
  takeStalled(): Delivery[] {
    const nowMs = this.#deps.clock.monotonic();
    const stalled = [...this.#withReady].filter((origin) => isStalled(origin, nowMs));
    for (const origin of stalled) origin.isStuck = true;
    return stalled.flatMap((origin) => this.#takeReadyOf(origin, () => true));
  }

  /** How many deliveries wait, before their claim (`waiting`) and after it (`ready`). */
  counts(): { waiting: number; ready: number } {
    const counts = { waiting: 0, ready: 0 };
    for (const origin of this.#deps.origins.active) {
      counts.waiting += origin.waiting.count() + origin.waitingForNew.count();
      counts.ready += readyOf(origin);
    }
    return counts;
  }

  /** A delivery released its connection: serves others that wait for it. */
  onConnectionReleased(delivery: Delivery): void {
    this.#serve(this.#deps.origins.originOf(delivery.origin));
    if (this.#deps.pool.accounts.short.size > 0) this.freed(delivery.accountId);
  }

  /** Account `id` may be able to have connections again: serves the origins where it lacks some. */
  freed(id: string): void {
    const { pool, limits, deliveries } = this.#deps;
    const { accounts } = pool;
    for (let left = Math.min(accounts.get(id)?.lacking.size ?? 0, ORIGINS_AT_ONCE_MAX); left > 0; left--) {
      const account = accounts.get(id);
      if (!account || !pool.mayHaveAnother(id) || !hasFewerInAll(id, limits, deliveries.holdings)) return;
      const origin = accounts.takeLacking(account);
      if (origin) this.#serve(origin);
    }
  }

  opened(origin: Origin): void {
    this.#serve(origin);
  }

  /**
   * A connection could not be opened. The delivery that it was opened for fails, if it is due and cannot use another
   * connection. When no delivery is due yet, all that wait are tried again later. After a failure of this machine all
   * wait on, and it is tried again after a pause.
   */
  failed(origin: Origin, failure: ConnectFailure): void {
    const { deliveries, demand, clock } = this.#deps;
    const hasOthers = openOf(origin) > 0;
    if (failure.kind === "local") {
      origin.openAgainAtMs = clock.monotonic() + pauseAfter(failure);
      failOverdue(deliveries, origin, failure, clock.now());
    } else {
      if (hasOthers) origin.openAgainAtMs = clock.monotonic() + OPEN_AGAIN_MS;
      if (!failOne(deliveries, origin, failure, clock.now()) && !hasOthers) tryLater(deliveries, origin);
    }
    demand.meet(origin);
  }

  /**
   * Serves the deliveries that wait for this origin: first the claimed ones that are due, then those that may be
   * claimed.
   */
  #serve(origin: Origin): void {
    if (readyOf(origin) + waitingOf(origin) === 0) return;
    const { origins, demand, clock } = this.#deps;
    const roomForNew = () => origin.unused.length - origins.reservedNew(origin);
    const room = () => roomFor(origin, origins.reserved(origin), clock.monotonic());
    // Open connections for retries first. Otherwise a busy origin would reuse every connection, and retries would never
    // get a new one.
    demand.meetRetries(origin);
    this.#serveReady(origin, origin.readyForNew);
    this.#serveReady(origin, origin.ready);
    this.#serveWaiting(origin, origin.waitingForNew, roomForNew);
    this.#serveWaiting(origin, origin.waiting, room);
    this.#serveUrgent(origin);
    this.#serveSpare(origin);
    demand.meetOthers(origin);
  }

  #takeReadyOf(origin: Origin, which: (delivery: Delivery) => boolean): Delivery[] {
    const taken = [origin.ready, origin.readyForNew].flatMap((queue) => (queue.size > 0 ? queue.remove(which) : []));
    if (readyOf(origin) === 0) this.#withReady.delete(origin);
    return taken;
  }

  #serveReady(origin: Origin, queue: ReadyQueue): void {
    const { pool, deliveries, clock } = this.#deps;
    const may = (delivery: Delivery) => mayUse(origin, delivery, deliveries.holdings);
    while (queue.size > 0 && origin.warm.length + origin.unused.length > 0) {
      const next = queue.take(clock.now(), may);
      if (!next) return;
      const connection = pool.acquire(origin, next);
      if (!connection) {
        queue.push(next);
        return;
      }
      this.#assign(next, connection);
    }
  }

  /**
   * Lets waiting deliveries go on while there is room. Each reserves its connection when it gets its slot, which may be
   * later.
   */
  #serveWaiting(origin: Origin, waiting: WaitingQueue, room: () => number): void {
    if (waiting.size === 0) return;
    const { deliveries, limits, origins, clock } = this.#deps;
    const isWithin = (delivery: Delivery) => {
      const isWithin = isWithinLimits(delivery, limits, deliveries.holdings);
      if (!isWithin) this.#noteFull(origin, delivery);
      return isWithin;
    };
    const late = lateMax(origin, clock.monotonic());
    const nowMs = clock.now();
    const isTimelyNow = (delivery: Delivery) => isTimely(delivery, nowMs);
    for (let left = Math.min(room(), SERVED_AT_ONCE_MAX); left > 0 && room() > 0; left--) {
      const mayBeLate = origins.reserved(origin) < late;
      const next = mayBeLate ? waiting.take(nowMs, isWithin) : takeIf(waiting, nowMs, isWithin, isTimelyNow);
      if (!next) return;
      this.#letThrough(origin, next);
    }
  }

  /** Lets one urgent delivery go on although there is no room. */
  #serveUrgent(origin: Origin): void {
    if (origin.waiting.size === 0) return;
    const { deliveries, limits, origins, clock } = this.#deps;
    const room = roomFor(origin, origins.reserved(origin), clock.monotonic());
    if (room > 0 || !mayOverdraw(origin, room, clock.monotonic())) return;
    const isWithin = (delivery: Delivery) => isWithinLimits(delivery, limits, deliveries.holdings);
    const is = (delivery: Delivery) => isUrgent(origin, delivery, room, clock);
    const next = takeIf(origin.waiting, clock.now(), isWithin, is);
    if (next) this.#letThrough(origin, next);
  }

  /** Lets deliveries of accounts with few requests go on for spare connections, while the requests of others hang. */
  #serveSpare(origin: Origin): void {
    const { deliveries, limits, clock } = this.#deps;
    const { holdings } = deliveries;
    const nowMs = clock.monotonic();
    const may = (delivery: Delivery) => isWithinLimits(delivery, limits, holdings) && hasFew(delivery, holdings);
    // An unsuccessful search looks at every lane, so search only when there is a spare connection.
    for (let left = SPARE_MAX; left > 0 && origin.waiting.size > 0 && hasSpare(origin, nowMs); left--) {
      // Deliveries that are over five seconds late wait for room. Spare connections are for more recent ones.
      const next = origin.waiting.takeTimely(clock.now(), may);
      if (!next) return;
      this.#letThrough(origin, next);
    }
  }

  #letThrough(origin: Origin, delivery: Delivery): void {
    const { deliveries, clock } = this.#deps;
    noteSpare(origin, delivery, deliveries.holdings, clock.monotonic());
    if (delivery.sendAtMs > origin.frontierMs) origin.frontierMs = delivery.sendAtMs;
    this.#deps.deliveries.move(delivery, "awaiting turn");
  }

  /** If the account has reserved all its connections, registers the origin to be served when it may have more. */
  #noteFull(origin: Origin, { accountId }: Delivery): void {
    const { pool, limits, deliveries } = this.#deps;
    if (!hasFewerInAll(accountId, limits, deliveries.holdings)) pool.accounts.lack(accountId, origin);
  }

  #assign(delivery: Delivery, connection: Connection): void {
    delivery.connection = connection;
    this.#deps.deliveries.move(delivery, "writing");
  }
}
