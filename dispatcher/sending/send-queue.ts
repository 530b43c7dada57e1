import { attemptMaxMs } from "#domain/timing.ts";
import type { Deliveries } from "../delivery/deliveries.ts";
import { claimOf, type Delivery, DUE_ORDER, leavesBefore } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";
import type { Alarm, DueStage } from "../runtime/due-work.ts";
import { isLate } from "../runtime/lateness.ts";
import { SortedQueue } from "../runtime/sorted-queue.ts";
import { TurnQueue } from "../runtime/turn-queue.ts";
import { DELIVERY } from "../tuning/delivery.ts";
import { SENDING } from "../tuning/sending.ts";
import { ADJUSTED_MS, type SendLead } from "./send-lead.ts";

type Deps = {
  deliveries: Deliveries;
  shards: { holds(shard: number): boolean };
  /** Where a delivery waits for its connection once it is due. */
  readyList: {
    take(which: (delivery: Delivery) => boolean): Delivery[];
    takeStalled(): Delivery[];
  };
  preparation: { note(delivery: Delivery): void };
  clock: Time;
  lead: SendLead;
  alarm: Alarm;
};

/**
 * The prepared requests, in the order in which they may leave. At its instant each one moves on to get its connection.
 * Requests that are overdue by then go after those that are on time, and their lanes take turns.
 */
export class SendQueue implements DueStage {
  readonly #deps: Deps;
  readonly #due = new SortedQueue<Delivery>(
    (a, b) => a.leaveAtMs < b.leaveAtMs || (a.leaveAtMs === b.leaveAtMs && leavesBefore(a, b)),
  );
  readonly #late = new TurnQueue<Delivery>({
    groupOf: ({ lane }) => lane,
    ...DUE_ORDER,
    isWaiting: ({ state }) => state === "prepared",
  });
  #isResuming = false;
  /**
   * The first of the last group of requests begun together. Only it adapts the lead, because the others had to wait for
   * it.
   */
  #firstBegun: Delivery | undefined;
  #isFirst = true;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  /** The earliest instant for which the alarm is set. */
  #alarmAtMs = Number.POSITIVE_INFINITY;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  add(delivery: Delivery): void {
    this.#deps.preparation.note(delivery);
    this.#due.push(delivery);
    const beginAtMs = this.#deps.lead.beginAtMs(delivery.leaveAtMs);
    if (beginAtMs >= this.#alarmAtMs) return;
    this.#alarmAtMs = beginAtMs;
    this.#deps.alarm.at(beginAtMs);
  }

  /** Begins the requests whose instant has come. Returns the next instant, by the database's clock, ms. */
  runDue(): number {
    const { lead, clock } = this.#deps;
    this.#isFirst = true;
    const startedAtMs = clock.now();
    let nextMs = Number.POSITIVE_INFINITY;
    for (let next = this.#due.peek(); next; next = this.#due.peek()) {
      const nowMs = clock.now();
      this.#adjust(next, nowMs);
      if (this.#due.peek() !== next) continue;
      const beginAtMs = lead.beginAtMs(next.leaveAtMs);
      if (beginAtMs > nowMs) {
        nextMs = beginAtMs;
        break;
      }
      if (nowMs - startedAtMs > SENDING.sendingMaxMs) {
        this.#resume();
        break;
      }
      this.#due.pop();
      // A request that is not late waits behind the late ones of its own lane.
      if (isLate(next.sendAtMs, nowMs) || this.#late.has(next.lane)) this.#late.push(next);
      else this.#begin(next);
    }
    this.#beginLate();
    this.#alarmAtMs = nextMs;
    return nextMs;
  }

  /** Whether this delivery was the first of those begun together. */
  isFirst(delivery: Delivery): boolean {
    return this.#firstBegun === delivery;
  }

  /**
   * Whether its lease, its shard and its expiry allow the first byte of `delivery` to leave. Checked again in the
   * event-loop turn of the write.
   */
  mayLeave(delivery: Delivery): boolean {
    const { shards, clock } = this.#deps;
    const { row, startedAtMs } = claimOf(delivery);
    if (row.delivery?.expiresAtMs !== undefined && clock.now() > row.delivery.expiresAtMs) return false;
    return shards.holds(delivery.shard) && clock.monotonic() < startedAtMs + attemptMaxMs(row.delivery?.timeoutMs);
  }

  /**
   * Puts back due requests whose origin answers nothing. Every half second it checks each claimed request that waits
   * for a connection, and puts back those that have waited too long or may no longer leave.
   */
  releaseLate(): void {
    const { readyList, deliveries, clock } = this.#deps;
    for (const delivery of readyList.takeStalled()) deliveries.move(delivery, "releasing");
    const nowMs = clock.now();
    if (Math.abs(nowMs - this.#lookedAtMs) < SENDING.lookEveryMs) return;
    this.#lookedAtMs = nowMs;
    const isTooLate = (delivery: Delivery) => {
      const sinceMs = Math.max(delivery.leaveAtMs, claimOf(delivery).row.claimedAtMs);
      return nowMs - sinceMs > DELIVERY.longLateMs || !this.mayLeave(delivery);
    };
    for (const delivery of readyList.take(isTooLate)) deliveries.move(delivery, "releasing");
  }

  /** Puts back every request that has not left, whatever its instant. */
  releaseAll(): void {
    const { readyList, deliveries } = this.#deps;
    for (const delivery of [...this.#due.clear(), ...this.#late.clear()]) deliveries.move(delivery, "releasing");
    for (const delivery of readyList.take(() => true)) deliveries.move(delivery, "releasing");
  }

  /** Whether a request is due and has not left. */
  isBehind(): boolean {
    const { deliveries, clock } = this.#deps;
    const nextMs = this.#due.peek()?.leaveAtMs ?? Number.POSITIVE_INFINITY;
    return deliveries.holdings.states.ready > 0 || this.#late.size > 0 || nextMs <= clock.now();
  }

  /** How many deliveries wait here for their instant. */
  count(): number {
    return this.#due.size + this.#late.size;
  }

  /**
   * The slot becomes free at a monotonic time. If the database's clock was adjusted since the slot was given, moves the
   * instant accordingly.
   */
  #adjust(delivery: Delivery, nowMs: number): void {
    const slotAtMs = nowMs + delivery.slotFromMs - this.#deps.clock.monotonic();
    if (slotAtMs - delivery.leaveAtMs < ADJUSTED_MS) return;
    this.#due.pop();
    delivery.leaveAtMs = slotAtMs;
    this.#due.push(delivery);
  }

  /** Begins overdue requests, in turns by lane, for a few milliseconds. */
  #beginLate(): void {
    const { clock } = this.#deps;
    const startedAtMs = clock.now();
    for (let nowMs = startedAtMs; nowMs - startedAtMs <= SENDING.sendingLateMaxMs; nowMs = clock.now()) {
      const next = this.#late.take(nowMs);
      if (!next) return;
      this.#begin(next);
    }
    if (this.#late.size > 0) this.#resume();
  }

  #begin(delivery: Delivery): void {
    if (this.#isFirst) this.#firstBegun = delivery;
    this.#isFirst = false;
    this.#deps.deliveries.move(delivery, this.mayLeave(delivery) ? "ready" : "releasing");
  }

  /** Continues after a turn of the event loop. */
  #resume(): void {
    if (this.#isResuming) return;
    this.#isResuming = true;
    setImmediate(() => {
      this.#isResuming = false;
      this.#deps.alarm.run();
    });
  }
}
