import type { ConnectionLimits } from "../connections/limits.ts";
import type { Pool } from "../connections/pool.ts";
import type { Deliveries } from "../delivery/deliveries.ts";
import type { Delivery } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";
import type { Demand } from "./demand.ts";
import type { ReadyQueue } from "./ready-queue.ts";
import { unusedForRetries } from "./retries.ts";
import { mayUse } from "./spare.ts";
import type { Waiters, WaitersByOrigin } from "./waiters.ts";

type Deps = {
  deliveries: Deliveries;
  waiters: WaitersByOrigin;
  pool: Pool;
  demand: Demand;
  limits: ConnectionLimits;
  clock: Time;
};

/** The claimed deliveries that are due and wait for the connections that were reserved for them. */
export class ReadyList {
  readonly #deps: Deps;
  /** The waiters of origins for which some may wait. */
  readonly #withReady = new Set<Waiters>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Takes a claimed delivery that is due. It gets a connection now, or as soon as there is one. */
  add(delivery: Delivery): void {
    const { deliveries, demand, clock } = this.#deps;
    const waiters = this.#deps.waiters.at(delivery.origin);
    const queue = waiters.readyQueueOf(delivery);
    const mayHave = queue.size === 0 && mayUse(waiters, delivery, deliveries.holdings);
    if (mayHave && this.#connect(waiters, delivery)) return;
    waiters.noteReady(clock.monotonic());
    queue.push(delivery);
    this.#withReady.add(waiters);
    // Deliveries before it in the queue may not be allowed to use the free connections.
    this.#serve(waiters, queue);
    demand.meet(waiters);
  }

  /** Removes and returns the deliveries that `which` accepts. Takes linear time. */
  take(which: (delivery: Delivery) => boolean): Delivery[] {
    return [...this.#withReady].flatMap((waiters) => this.#takeOf(waiters, which));
  }

  /** Removes and returns the deliveries to origins that answer nothing, which are stuck from now on. */
  takeStalled(): Delivery[] {
    const nowMs = this.#deps.clock.monotonic();
    const stalled = [...this.#withReady].filter((waiters) => waiters.areStalled(nowMs));
    for (const waiters of stalled) waiters.noteStuck();
    return stalled.flatMap((waiters) => this.#takeOf(waiters, () => true));
  }

  /** Gives the origin's free connections to those that wait for them; first to those that need a new one. */
  serve(waiters: Waiters): void {
    this.#serve(waiters, waiters.readyForNew);
    this.#serve(waiters, waiters.ready);
  }

  #takeOf(waiters: Waiters, which: (delivery: Delivery) => boolean): Delivery[] {
    const taken = [waiters.ready, waiters.readyForNew].flatMap((queue) => (queue.size > 0 ? queue.remove(which) : []));
    if (waiters.readySize === 0) this.#withReady.delete(waiters);
    return taken;
  }

  #serve(waiters: Waiters, queue: ReadyQueue): void {
    const { deliveries, clock } = this.#deps;
    const may = (delivery: Delivery) => mayUse(waiters, delivery, deliveries.holdings);
    while (queue.size > 0 && waiters.origin.idle > 0) {
      const next = queue.take(clock.now(), may);
      if (!next) return;
      if (this.#connect(waiters, next)) continue;
      queue.push(next);
      return;
    }
  }

  /** Gives `delivery` a free connection, unless the rest of them are kept for retries. Returns whether it has one. */
  #connect(waiters: Waiters, delivery: Delivery): boolean {
    const { pool, limits, deliveries } = this.#deps;
    const kept = () => unusedForRetries(waiters, limits, deliveries.holdings);
    const connection = pool.acquire(waiters.origin, delivery, kept);
    if (!connection) return false;
    delivery.connection = connection;
    deliveries.move(delivery, "writing");
    return true;
  }
}
