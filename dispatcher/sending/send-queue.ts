import { ATTEMPT_DEADLINE_MS } from "#domain/timing.ts";
import type { Deliveries } from "../delivery/deliveries.ts";
import { claimOf, type Delivery, leavesBefore } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";
import type { Alarm, DueStage } from "../runtime/due-work.ts";
import { MinHeap } from "../runtime/min-heap.ts";
import type { SendLead } from "./send-lead.ts";

/** A claimed request that has found no connection so long after it was due goes back. */
const LATE_MAX_MS = 2_000;

type Deps = {
  deliveries: Deliveries;
  shards: { holds(shard: number): boolean };
  /** Where it waits for its connection, once it is due. */
  waitingList: {
    addReady(delivery: Delivery): void;
    takeReady(which: (delivery: Delivery) => boolean): Delivery[];
    isStalled(origin: string): boolean;
  };
  clock: Time;
  lead: SendLead;
  alarm: Alarm;
};

/** The requests that are prepared, in due order. At its instant each gets its connection. */
export class SendQueue implements DueStage {
  readonly #deps: Deps;
  readonly #due = new MinHeap<Delivery>(leavesBefore);
  /** The first of those that were begun together last: what comes after it waits for it. */
  #firstBegun: Delivery | undefined;
  /** The instant that the alarm was set to last. */
  #alarmAtMs = Number.NaN;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  add(delivery: Delivery): void {
    this.#due.push(delivery);
    const beginAtMs = this.#deps.lead.beginAtMs(delivery.sendAtMs);
    if (beginAtMs === this.#alarmAtMs) return;
    this.#alarmAtMs = beginAtMs;
    this.#deps.alarm.at(beginAtMs);
  }

  /** Begins every request whose instant has come; returns the next instant, by the database's clock, ms. */
  runDue(): number {
    this.#alarmAtMs = Number.NaN;
    let isFirst = true;
    for (let next = this.#due.peek(); next; next = this.#due.peek()) {
      const beginAtMs = this.#deps.lead.beginAtMs(next.sendAtMs);
      if (beginAtMs > this.#deps.clock.now()) return beginAtMs;
      this.#due.pop();
      if (isFirst) this.#firstBegun = next;
      isFirst = false;
      if (this.mayLeave(next)) this.#deps.deliveries.move(next, "ready");
      else this.#deps.deliveries.move(next, "releasing");
    }
    return Number.POSITIVE_INFINITY;
  }

  /** Whether this one did not wait for another that was begun with it. */
  isFirst(delivery: Delivery): boolean {
    return this.#firstBegun === delivery;
  }

  /** Whether the first byte of `delivery` may leave by its lease and its shard: asked again in the turn of the write. */
  mayLeave(delivery: Delivery): boolean {
    const { shards, clock } = this.#deps;
    return shards.holds(delivery.shard) && clock.monotonic() < claimOf(delivery).startedAtMs + ATTEMPT_DEADLINE_MS;
  }

  /** Puts back the due requests that wait for a connection in vain. */
  releaseLate(): void {
    const { waitingList, deliveries, clock } = this.#deps;
    const nowMs = clock.now();
    const isLate = (delivery: Delivery) => {
      const sinceMs = Math.max(delivery.sendAtMs, claimOf(delivery).row.claimedAtMs);
      return nowMs - sinceMs > LATE_MAX_MS || waitingList.isStalled(delivery.origin) || !this.mayLeave(delivery);
    };
    for (const delivery of waitingList.takeReady(isLate)) deliveries.move(delivery, "releasing");
  }

  /** Puts back everything that has not left, whatever its instant. */
  releaseAll(): void {
    const { waitingList, deliveries } = this.#deps;
    for (const delivery of this.#due.clear()) deliveries.move(delivery, "releasing");
    for (const delivery of waitingList.takeReady(() => true)) deliveries.move(delivery, "releasing");
  }

  /** Whether requests are due that have not left. */
  isBehind(): boolean {
    const { deliveries, clock } = this.#deps;
    return (
      deliveries.holdings.states.ready > 0 || (this.#due.peek()?.sendAtMs ?? Number.POSITIVE_INFINITY) <= clock.now()
    );
  }

  /** How many deliveries wait here for their instant. */
  count(): number {
    return this.#due.size;
  }
}
