import type { ConnectionLimits } from "../connections/limits.ts";
import type { Origin } from "../connections/origin.ts";
import type { Origins } from "../connections/origins.ts";
import type { Pool } from "../connections/pool.ts";
import type { PoolObserver } from "../connections/pool-observer.ts";
import type { ConnectFailure } from "../delivery/connection.ts";
import type { Deliveries } from "../delivery/deliveries.ts";
import type { Delivery } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";
import { ADMISSION } from "../tuning/admission.ts";
import { RESERVED } from "../tuning/delivery.ts";
import { hasFewerInAll, isWithinLimits } from "./account-limits.ts";
import { failOne, failOverdue, pauseAfter, tryLater } from "./connect-failures.ts";
import type { Demand } from "./demand.ts";
import { hasRoom } from "./has-room.ts";
import type { ReadyList } from "./ready-list.ts";
import { isTimely, isUrgent, lateMax, mayOverdraw, roomFor, takeIf } from "./room.ts";
import { hasFew, hasSpare, noteSpare } from "./spare.ts";
import type { Waiters, WaitersByOrigin } from "./waiters.ts";
import type { WaitingQueue } from "./waiting-queue.ts";

/** After a connection that failed, the next one is opened after this, ms. Guards against a target that goes away. */
const OPEN_AGAIN_MS = 250;

type Deps = {
  deliveries: Deliveries;
  origins: Origins;
  waiters: WaitersByOrigin;
  pool: Pool;
  demand: Demand;
  readyList: ReadyList;
  limits: ConnectionLimits;
  clock: Time;
};

/**
 * The deliveries that wait for a connection before their claim: until there is one, or until their origin answers fast enough that
 * one will be free in time. Meanwhile they stay cancellable, and delay only deliveries to the same origin.
 */
export class WaitingList implements PoolObserver {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Takes a delivery that is about to fall due and for which there is no room. */
  add(delivery: Delivery): void {
    const waiters = this.#deps.waiters.at(delivery.origin);
    waiters.queueOf(delivery).push(delivery);
    this.#noteFull(waiters.origin, delivery);
    // If all deliveries before it were removed, no returning connection would serve the queue. So check now.
    if (this.hasRoom(delivery)) this.#serve(waiters);
    else this.#deps.demand.meet(waiters);
  }

  /** Whether `delivery` may reserve a connection now. */
  hasRoom(delivery: Delivery): boolean {
    return hasRoom(delivery, this.#deps);
  }

  /** Lets `delivery` go on, if there is room and no other waits for the origin. Otherwise it waits here. */
  letPass(delivery: Delivery): void {
    const waiters = this.#deps.waiters.at(delivery.origin);
    if (waiters.queueOf(delivery).size === 0 && this.hasRoom(delivery)) this.#letThrough(waiters, delivery);
    else this.#deps.deliveries.move(delivery, "awaiting connection");
  }

  /** Whether unclaimed deliveries wait for a connection to this origin. */
  isFull(key: string): boolean {
    return (this.#deps.waiters.find(key)?.waitingSize ?? 0) > 0;
  }

  /** How many deliveries wait, before their claim (`waiting`) and after it (`ready`). */
  counts(): { waiting: number; ready: number } {
    const counts = { waiting: 0, ready: 0 };
    for (const origin of this.#deps.origins.active) {
      const { waiting, waitingForNew, readySize } = this.#deps.waiters.of(origin);
      counts.waiting += waiting.count() + waitingForNew.count();
      counts.ready += readySize;
    }
    return counts;
  }

  /** A delivery released its connection: serves others that wait for it. */
  onConnectionReleased(delivery: Delivery): void {
    this.#serve(this.#deps.waiters.at(delivery.origin));
    if (this.#deps.pool.accounts.short.size > 0) this.freed(delivery.accountId);
  }

  /** Account `id` may be able to have connections again: serves the origins where it lacks some. */
  freed(id: string): void {
    const { pool, limits, deliveries, waiters } = this.#deps;
    const { accounts } = pool;
    for (let left = Math.min(accounts.get(id)?.lacking.size ?? 0, ADMISSION.originsAtOnceMax); left > 0; left--) {
      const account = accounts.get(id);
      if (!account || !pool.mayHaveAnother(id) || !hasFewerInAll(id, limits, deliveries.holdings)) return;
      const origin = accounts.takeLacking(account);
      if (origin) this.#serve(waiters.of(origin));
    }
  }

  opened(origin: Origin): void {
    this.#serve(this.#deps.waiters.of(origin));
  }

  /**
   * A connection could not be opened. The delivery that it was opened for fails, if it is due and cannot use another
   * connection. When no delivery is due yet, all that wait are tried again later. After a failure of this machine all
   * wait on, and it is tried again after a pause.
   */
  failed(origin: Origin, failure: ConnectFailure): void {
    const { deliveries, demand, clock } = this.#deps;
    const waiters = this.#deps.waiters.of(origin);
    const hasOthers = origin.open > 0;
    if (failure.kind === "local") {
      origin.allowance.pauseUntil(clock.monotonic() + pauseAfter(failure));
      failOverdue(deliveries, waiters, failure, clock.now());
    } else {
      if (hasOthers) origin.allowance.pauseUntil(clock.monotonic() + OPEN_AGAIN_MS);
      if (!failOne(deliveries, waiters, failure, clock.now()) && !hasOthers) tryLater(deliveries, waiters);
    }
    demand.meet(waiters);
  }

  /**
   * Serves the deliveries that wait for this origin: first the claimed ones that are due, then those that may be
   * claimed.
   */
  #serve(waiters: Waiters): void {
    if (waiters.size === 0) return;
    const { demand, readyList, clock } = this.#deps;
    const roomForNew = () => waiters.origin.unused.length - waiters.reservedNew;
    const room = () => roomFor(waiters, waiters.reserved, clock.monotonic());
    // Open connections for retries first. Otherwise a busy origin would reuse every connection, and retries would never
    // get a new one.
    demand.meetRetries(waiters);
    readyList.serve(waiters);
    this.#serveWaiting(waiters, waiters.waitingForNew, roomForNew);
    this.#serveWaiting(waiters, waiters.waiting, room);
    this.#serveUrgent(waiters);
    this.#serveSpare(waiters);
    demand.meetOthers(waiters);
  }

  /**
   * Lets waiting deliveries go on while there is room. Each reserves its connection when it gets its slot, which may be
   * later.
   */
  #serveWaiting(waiters: Waiters, waiting: WaitingQueue, room: () => number): void {
    if (waiting.size === 0) return;
    const { deliveries, limits, clock } = this.#deps;
    const isWithin = (delivery: Delivery) => {
      const isWithin = isWithinLimits(delivery, limits, deliveries.holdings);
      if (!isWithin) this.#noteFull(waiters.origin, delivery);
      return isWithin;
    };
    const late = lateMax(waiters, clock.monotonic());
    const nowMs = clock.now();
    const isTimelyNow = (delivery: Delivery) => isTimely(delivery, nowMs);
    for (let left = Math.min(room(), ADMISSION.atOnceMax); left > 0 && room() > 0; left--) {
      const mayBeLate = waiters.reserved < late;
      const next = mayBeLate ? waiting.take(nowMs, isWithin) : takeIf(waiting, nowMs, isWithin, isTimelyNow);
      if (!next) return;
      this.#letThrough(waiters, next);
    }
  }

  /** Lets one urgent delivery go on although there is no room. */
  #serveUrgent(waiters: Waiters): void {
    if (waiters.waiting.size === 0) return;
    const { deliveries, limits, clock } = this.#deps;
    const room = roomFor(waiters, waiters.reserved, clock.monotonic());
    if (room > 0 || !mayOverdraw(waiters, room, clock.monotonic())) return;
    const isWithin = (delivery: Delivery) => isWithinLimits(delivery, limits, deliveries.holdings);
    const is = (delivery: Delivery) => isUrgent(waiters, delivery, room, clock);
    const next = takeIf(waiters.waiting, clock.now(), isWithin, is);
    if (next) this.#letThrough(waiters, next);
  }

  /** Lets deliveries of accounts with few requests go on for spare connections, while the requests of others hang. */
  #serveSpare(waiters: Waiters): void {
    const { deliveries, limits, clock } = this.#deps;
    const { holdings } = deliveries;
    const nowMs = clock.monotonic();
    const may = (delivery: Delivery) => isWithinLimits(delivery, limits, holdings) && hasFew(delivery, holdings);
    // An unsuccessful search looks at every lane, so search only when there is a spare connection.
    for (let left = RESERVED.ofOrigin; left > 0 && waiters.waiting.size > 0 && hasSpare(waiters, nowMs); left--) {
      // Deliveries that are over five seconds late wait for room. Spare connections are for more recent ones.
      const next = waiters.waiting.takeTimely(clock.now(), may);
      if (!next) return;
      this.#letThrough(waiters, next);
    }
  }

  #letThrough(waiters: Waiters, delivery: Delivery): void {
    const { deliveries, clock } = this.#deps;
    noteSpare(waiters, delivery, deliveries.holdings, clock.monotonic());
    waiters.noteLetThrough(delivery.sendAtMs);
    deliveries.move(delivery, "awaiting slot");
  }

  /** If the account has reserved all its connections, registers the origin to be served when it may have more. */
  #noteFull(origin: Origin, { accountId }: Delivery): void {
    const { pool, limits, deliveries } = this.#deps;
    if (!hasFewerInAll(accountId, limits, deliveries.holdings)) pool.accounts.lack(accountId, origin);
  }
}
