import { type ConnectFailure, type Connection, outcomeOf } from "../delivery/connection.ts";
import type { Deliveries } from "../delivery/deliveries.ts";
import type { Delivery } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";
import type { Fifo } from "../runtime/fifo.ts";
import type { Demand } from "./demand.ts";
import { type ConnectionLimits, isWithinLimits } from "./limits.ts";
import { hasRoom, isStalled, type Origin, openOf, readyOf, roomFor, waitingOf } from "./origin.ts";
import type { Origins } from "./origins.ts";
import type { Pool, PoolListener } from "./pool.ts";
import type { WaitingQueue } from "./waiting-queue.ts";

const OPEN_AGAIN_MS = 250;
const SERVED_AT_ONCE_MAX = 256;

type Deps = {
  deliveries: Deliveries;
  origins: Origins;
  pool: Pool;
  demand: Demand;
  limits: ConnectionLimits;
  clock: Time;
};

/**
 * Who waits for a connection. Before its claim a delivery waits until there is a connection for it, or until its origin
 * answers so fast that there will be one in time: it stays cancellable and holds up only what goes to the same origin.
 * After its claim, when it is due, it waits for the connection that was reserved for it.
 */
export class WaitingList implements PoolListener {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Takes a delivery that is about to fall due, and for which there is no room. */
  add(delivery: Delivery): void {
    const origin = this.#deps.origins.originOf(delivery.origin);
    this.#park(origin, delivery);
    this.#deps.demand.meet(origin);
  }

  /** Whether `delivery` may reserve a connection now. */
  hasRoom(delivery: Delivery): boolean {
    const { deliveries, limits, origins, clock } = this.#deps;
    if (!isWithinLimits(delivery, limits, deliveries.holdings)) return false;
    const origin = origins.originOf(delivery.origin);
    return hasRoom(origin, delivery, origins.reservedAt(origin), clock.monotonic());
  }

  /** Whether `delivery` may go on to its turn now: there is room, and nobody waits for it. */
  mayPass(delivery: Delivery): boolean {
    const origin = this.#deps.origins.originOf(delivery.origin);
    const waiting = delivery.needsNewConnection ? origin.waitingForNew : origin.waiting;
    return waiting.size === 0 && this.hasRoom(delivery);
  }

  /** Whether schedules wait for a connection to this origin. */
  isFull(key: string): boolean {
    const origin = this.#deps.origins.get(key);
    return origin !== undefined && waitingOf(origin) > 0;
  }

  /** Takes a claimed delivery that is due: it is given its connection, now or as soon as there is one. */
  addReady(delivery: Delivery): void {
    const { origins, pool, demand, clock } = this.#deps;
    const origin = origins.originOf(delivery.origin);
    const queue = delivery.needsNewConnection ? origin.readyForNew : origin.ready;
    const connection = queue.length === 0 ? pool.acquire(origin, delivery) : undefined;
    if (connection) {
      this.#assign(delivery, connection);
      return;
    }
    if (readyOf(origin) === 0) origin.readySinceMs = clock.monotonic();
    queue.push(delivery);
    demand.meet(origin);
  }

  /** Takes out the claimed deliveries that `which` names. */
  takeReady(which: (delivery: Delivery) => boolean): Delivery[] {
    const taken: Delivery[] = [];
    for (const { ready, readyForNew } of this.#deps.origins.active) {
      for (const queue of [ready, readyForNew]) if (queue.length > 0) taken.push(...queue.take(which));
    }
    return taken;
  }

  /** Whether claimed requests to this origin wait in vain. */
  isStalled(key: string): boolean {
    return isStalled(this.#deps.origins.originOf(key), this.#deps.clock.monotonic());
  }

  /** How many deliveries wait, before their claim and after it. */
  counts(): { waiting: number; ready: number } {
    const counts = { waiting: 0, ready: 0 };
    for (const origin of this.#deps.origins.active) {
      counts.waiting += origin.waiting.count() + origin.waitingForNew.count();
      counts.ready += readyOf(origin);
    }
    return counts;
  }

  /** A delivery gave its connection up: others may have it. */
  onConnectionReleased(delivery: Delivery): void {
    this.#serve(this.#deps.origins.originOf(delivery.origin));
  }

  opened(origin: Origin): void {
    this.#serve(origin);
  }

  /**
   * A connection could not be had. It was opened for a delivery that waits: that one fails, if it is due and no other
   * connection will do for it. When none is due yet, they are tried again later.
   */
  failed(origin: Origin, failure: ConnectFailure): void {
    const hasOthers = openOf(origin) > 0;
    if (failure.kind === "local" || hasOthers) {
      origin.openAgainAtMs = this.#deps.clock.monotonic() + OPEN_AGAIN_MS;
    }
    if (failure.kind !== "local" && !this.#failOne(origin, failure, hasOthers) && !hasOthers) this.#tryLater(origin);
    this.#deps.demand.meet(origin);
  }

  /** Serves what waits for this origin: first what is claimed and due, then what may be claimed. */
  #serve(origin: Origin): void {
    const { origins, demand, clock } = this.#deps;
    const roomForNew = () => origin.unused.length - origins.reservedAt(origin).forNew;
    const room = () => roomFor(origin, origins.reservedAt(origin), clock.monotonic());
    // Else a busy origin would use each connection again, and retries would never have a new one.
    demand.meetRetries(origin);
    this.#serveReady(origin, origin.readyForNew);
    this.#serveReady(origin, origin.ready);
    this.#serveWaiting(origin.waitingForNew, roomForNew);
    this.#serveWaiting(origin.waiting, room);
    demand.meet(origin);
  }

  #serveReady(origin: Origin, queue: Fifo<Delivery>): void {
    for (let next = queue.peek(); next; next = queue.peek()) {
      const connection = this.#deps.pool.acquire(origin, next);
      if (!connection) return;
      queue.shift();
      this.#assign(next, connection);
    }
  }

  /** Lets those that wait go on while there is room. They reserve their connections at their turns, which may be later. */
  #serveWaiting(waiting: WaitingQueue, room: () => number): void {
    if (waiting.size === 0) return;
    const { deliveries, limits, clock } = this.#deps;
    const isWithin = (delivery: Delivery) => isWithinLimits(delivery, limits, deliveries.holdings);
    for (let left = Math.min(room(), SERVED_AT_ONCE_MAX); left > 0 && room() > 0; left--) {
      const next = waiting.take(clock.now(), isWithin);
      if (!next) return;
      deliveries.move(next, "awaiting turn");
    }
  }

  #park(origin: Origin, delivery: Delivery): void {
    (delivery.needsNewConnection ? origin.waitingForNew : origin.waiting).push(delivery);
  }

  #assign(delivery: Delivery, connection: Connection): void {
    delivery.connection = connection;
    this.#deps.deliveries.move(delivery, "writing");
  }

  #failOne(origin: Origin, failure: ConnectFailure, hasOthers: boolean): boolean {
    const { deliveries, clock } = this.#deps;
    const claimed = origin.readyForNew.shift() ?? (hasOthers ? undefined : origin.ready.shift());
    if (claimed) {
      deliveries.end(claimed, outcomeOf(failure));
      return true;
    }
    const nowMs = clock.now();
    for (const waiting of hasOthers ? [origin.waitingForNew] : [origin.waitingForNew, origin.waiting]) {
      const next = waiting.take(nowMs, ({ sendAtMs }) => sendAtMs <= nowMs);
      if (!next) continue;
      next.failure = failure;
      deliveries.move(next, "refused");
      return true;
    }
    return false;
  }

  #tryLater(origin: Origin): void {
    for (const waiting of [origin.waiting, origin.waitingForNew]) {
      for (const delivery of waiting.clear()) this.#deps.deliveries.move(delivery, "known");
    }
  }
}
