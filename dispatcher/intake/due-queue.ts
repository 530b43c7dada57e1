import { SHARDS } from "#domain/shard-share.ts";
import type { Deliveries } from "../delivery/deliveries.ts";
import { type Delivery, DUE_ORDER } from "../delivery/delivery.ts";
import type { DeliveryState } from "../delivery/states.ts";
import type { Time } from "../runtime/clock.ts";
import type { DueStage } from "../runtime/due-work.ts";
import { isLate } from "../runtime/lateness.ts";
import { StepQueue } from "../runtime/step-queue.ts";
import { TurnQueue } from "../runtime/turn-queue.ts";
import type { TurnRules } from "../runtime/turn-rules.ts";
import { INTAKE } from "../tuning/intake.ts";
import { RUNTIME } from "../tuning/runtime.ts";
import { BurstLoad } from "./burst-load.ts";
import { type Flow, isKnown } from "./flow.ts";
import { WakeQueue } from "./wake-queue.ts";

type Deps = {
  deliveries: Deliveries;
  clock: Time;
  /** A claim is made at most this far ahead, ms. */
  claimAheadMs: number;
  /** How long before its instant a delivery should be claimed when `rows` leave together, ms. */
  claimCost: { leadMs(rows: number): number };
  rates: { isNearLimit(lane: string): boolean };
  /** Decides where a delivery goes. */
  routes: { route(delivery: Delivery): void };
  demand: { expect(delivery: Delivery): void; expectsFewWith(delivery: Delivery): boolean };
  waitingList: { letPass(delivery: Delivery): void };
  preparation: { aheadMs(origin: string): number };
};

/**
 * The deliveries in memory that are still to be enqueued, in order. Two seconds before its instant, each is announced
 * to `Demand`, which may open a connection. It is enqueued ahead of its instant by the time that its turn and its claim
 * take, which depends on how much else is due.
 */
export class DueQueue implements DueStage {
  readonly #deps: Deps;
  readonly #aheadMaxMs: number;
  /** Deliveries that are more than INTAKE.connectAheadMs ahead. */
  readonly #approaching = new StepQueue<Delivery>(INTAKE.wakeStepMs);
  readonly #wakes: WakeQueue;
  /** Deliveries that exceeded the bound of one event-loop turn and are enqueued in the next ones. Lanes take turns. */
  readonly #woken = new TurnQueue(TURNS);
  /** Deliveries that were late when they came. They take turns by lane, after the others. */
  readonly #late = new TurnQueue(TURNS);
  readonly #load = new BurstLoad();
  /** How many were added since the last pruning. */
  #added = 0;
  #stopped = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#aheadMaxMs = deps.claimAheadMs + INTAKE.enqueueMaxMs;
    this.#wakes = new WakeQueue((delivery) => deps.demand.expectsFewWith(delivery));
  }

  /** Takes a delivery that is new, or that comes back because no connection could be opened ahead of its instant. */
  add(delivery: Delivery, from: DeliveryState | null): void {
    const nowMs = this.#deps.clock.now();
    if (from !== null) {
      const flow = this.#wakes.add(delivery);
      if (!flow) return;
      flow.heldUntilMs = nowMs + INTAKE.connectAgainMs;
      this.#lineUp(flow, nowMs);
      return;
    }
    // A delivery that is not late waits behind the late ones of its own lane.
    if (isLate(delivery.sendAtMs, nowMs) || this.#late.has(delivery.lane)) {
      this.#late.push(delivery);
      return;
    }
    this.#load.add(delivery.sendAtMs);
    this.#prune();
    const approachAtMs = delivery.sendAtMs - INTAKE.connectAheadMs;
    if (approachAtMs > nowMs) this.#approaching.push(delivery, approachAtMs);
    else this.#approach(delivery);
  }

  /** Enqueues the deliveries whose time has come. Returns when to call it again, by the database's clock, ms. */
  runDue(): number {
    if (this.#stopped) return Number.POSITIVE_INFINITY;
    const nowMs = this.#deps.clock.now();
    for (const next of this.#approaching.take(nowMs, INTAKE.lookedAtMax)) if (isKnown(next)) this.#approach(next);
    this.#enqueueDue(nowMs);
    this.#enqueueFrom(this.#late, nowMs);
    if (this.#woken.size + this.#late.size > 0) return nowMs;
    return Math.min(this.#approaching.nextMs(), this.#wakes.nextMs());
  }

  /** Drops the load from before `beforeMs`. */
  forgetLoad(beforeMs: number): void {
    this.#load.forget(beforeMs);
  }

  /** Enqueues nothing more. */
  stop(): void {
    this.#stopped = true;
  }

  /** How many deliveries are here. */
  count(): number {
    return this.#approaching.count(isKnown) + this.#wakes.count() + this.#woken.count() + this.#late.count();
  }

  #prune(): void {
    const { states } = this.#deps.deliveries.holdings;
    if (++this.#added < Math.max(2 * states.known, RUNTIME.pruneAtMin)) return;
    this.#added = 0;
    this.#approaching.prune(isKnown);
    this.#wakes.prune();
  }

  #approach(delivery: Delivery): void {
    this.#expect(delivery);
    const flow = this.#wakes.add(delivery);
    if (flow) this.#wakes.lookAt(flow, delivery, delivery.sendAtMs - this.#aheadMaxMs);
  }

  #expect(delivery: Delivery): void {
    this.#deps.routes.route(delivery);
    this.#deps.demand.expect(delivery);
  }

  /**
   * Determines when the first delivery of `flow` is woken, or when that will be determined. A flow enters the sorted near
   * queue only shortly before.
   */
  #lineUp(flow: Flow, nowMs: number, aheadMsOf = this.#leads(nowMs)): void {
    const first = flow.first();
    if (!first) {
      this.#wakes.drop(flow);
      return;
    }
    const determinedAtMs = first.sendAtMs - this.#aheadMaxMs;
    const atMs = Math.max(first.sendAtMs - aheadMsOf(first), Math.min(first.sendAtMs, flow.heldUntilMs));
    if (determinedAtMs > nowMs + INTAKE.wakeStepMs) this.#wakes.lookAt(flow, first, determinedAtMs);
    else if (atMs - INTAKE.coalesceMs > nowMs + INTAKE.wakeStepMs)
      this.#wakes.lookAt(flow, first, atMs - INTAKE.coalesceMs);
    else this.#wakes.wakeAt(flow, first, atMs);
  }

  #enqueueDue(nowMs: number): void {
    const { demand, rates } = this.#deps;
    let left = INTAKE.turnMax - this.#enqueueFrom(this.#woken, nowMs);
    const aheadMsOf = this.#leads(nowMs);
    for (const flow of this.#wakes.takeAhead(nowMs, INTAKE.lookedAtMax)) this.#lineUp(flow, nowMs, aheadMsOf);
    const early: Flow[] = [];
    for (let n = 0; n < INTAKE.lookedAtMax; n++) {
      const coalesceMs = left < INTAKE.turnMax && left > INTAKE.turnMax - INTAKE.coalesceMax ? INTAKE.coalesceMs : 0;
      const flow = this.#wakes.takeNear(nowMs + coalesceMs);
      if (!flow) break;
      const next = flow.first();
      if (next && next.sendAtMs - aheadMsOf(next) > nowMs + (rates.isNearLimit(next.lane) ? 0 : coalesceMs)) {
        early.push(flow);
        continue;
      }
      if (next) {
        flow.shift();
        // A delivery outside a burst does not wait behind the burst, only behind its own lane.
        if (left > 0 || (demand.expectsFewWith(next) && !this.#woken.has(next.lane))) {
          this.#enqueue(next, nowMs);
          left--;
        } else {
          this.#woken.push(next);
        }
      }
      this.#lineUp(flow, nowMs, aheadMsOf);
    }
    for (const flow of early) this.#lineUp(flow, nowMs, aheadMsOf);
  }

  /** Enqueues up to INTAKE.turnMax deliveries of a queue. Returns how many. */
  #enqueueFrom(queue: TurnQueue<Delivery>, nowMs: number): number {
    for (let n = 0; n < INTAKE.turnMax; n++) {
      const next = queue.take(nowMs);
      if (!next) return n;
      if (queue === this.#late) this.#expect(next);
      this.#enqueue(next, nowMs);
    }
    return INTAKE.turnMax;
  }

  #enqueue(delivery: Delivery, nowMs: number): void {
    const { waitingList, claimAheadMs, routes } = this.#deps;
    routes.route(delivery);
    const { sendAtMs } = delivery;
    delivery.enqueuedAtMs = sendAtMs > nowMs ? Math.max(nowMs, sendAtMs - claimAheadMs) : null;
    waitingList.letPass(delivery);
  }

  /** Returns a function that tells how far ahead of its instant a delivery is woken, ms. Use it for one round. */
  #leads(nowMs: number): (delivery: Delivery) => number {
    const rowsBeside = this.#load.beside(this.#deps.claimAheadMs, nowMs, nowMs + this.#aheadMaxMs + INTAKE.wakeStepMs);
    return (delivery) => this.#aheadMs(delivery, rowsBeside(delivery.sendAtMs));
  }

  /**
   * How far ahead of its instant a delivery is woken, ms, when `rows` are claimed or enqueued at the same time. Rows that
   * have left already count among them, so that it does not change from round to round.
   */
  #aheadMs({ shard, origin, lane }: Delivery, rows: number): number {
    const { preparation, rates, claimCost, claimAheadMs } = this.#deps;
    const enqueueMs = Math.min(rows * INTAKE.enqueueMs, INTAKE.enqueueMaxMs) * (1 - shard / SHARDS);
    const claimMs = Math.min(claimCost.leadMs(rows), claimAheadMs);
    const preparationMs = Math.min(preparation.aheadMs(origin), claimAheadMs);
    const aheadMs = Math.max(claimMs + enqueueMs, preparationMs);
    return rates.isNearLimit(lane) ? Math.min(INTAKE.nearLimitLeadMs, aheadMs) : aheadMs;
  }
}

/**
 * Deliveries are woken ahead of their instants, by the time that the remaining stages take. So all count as on time
 * until late.
 */
const TURNS: TurnRules<Delivery> = {
  groupOf: ({ lane }) => lane,
  ...DUE_ORDER,
  isWaiting: isKnown,
  aheadMs: Number.POSITIVE_INFINITY,
};
