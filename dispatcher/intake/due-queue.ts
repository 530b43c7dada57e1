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
import { BurstLoad } from "./burst-load.ts";
import { NearQueue } from "./near-queue.ts";

const CONNECT_AHEAD_MS = 2_000;
/**
 * Deliveries that are further ahead are checked in steps of this, ms, so that many share one wake-up. Each wake-up
 * costs two thread switches and a run of every stage.
 */
const STEP_MS = 50;
/** Deliveries due within this of one that is enqueued now are enqueued with it, to be claimed in one statement, ms. */
const COALESCE_MS = 80;
/** The most that are enqueued together for that reason. Deliveries that fall due during their claim have to wait. */
const COALESCE_MAX = 40;
/** A lane near its limit claims only this long before it may send, so that its slots are not held idle, ms. */
const NEAR_LIMIT_LEAD_MS = 8;
/**
 * CPU time to enqueue one delivery, ms. A burst is enqueued this much earlier per row, one shard after the other: so it
 * does not keep others waiting, and the deliveries of a lane stay in order.
 */
const ENQUEUE_MS = 0.05;
const ENQUEUE_MAX_MS = 1_000;
/**
 * The most deliveries enqueued in one event-loop turn. So the first of a burst are claimed while the next are enqueued.
 */
const TURN_MAX = 250;
/** The most deliveries of a queue that are processed in one event-loop turn. */
const LOOKED_AT_MAX = 1_000;
/** The queues are pruned of removed deliveries when these are the majority, from this size on. */
const PRUNE_AT_MIN = 1_024;
/** When no connection could be opened ahead of time, the delivery is woken again after this, ms. */
const TRY_AGAIN_MS = 500;

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
  /** Deliveries that are more than CONNECT_AHEAD_MS ahead. */
  readonly #approaching = new StepQueue<Delivery>(STEP_MS);
  /** Deliveries whose lead is still to be determined, and those that are woken some steps later. */
  readonly #ahead = new StepQueue<Delivery>(STEP_MS);
  /** Deliveries that are woken next. */
  readonly #near: NearQueue;
  /** Deliveries that exceeded the bound of one event-loop turn and are enqueued in the next ones. Lanes take turns. */
  readonly #woken = new TurnQueue(TURNS);
  /** Deliveries that were late when they came. They take turns by lane, after the others. */
  readonly #late = new TurnQueue(TURNS);
  readonly #load = new BurstLoad();
  #stopped = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#aheadMaxMs = deps.claimAheadMs + ENQUEUE_MAX_MS;
    this.#near = new NearQueue((delivery) => deps.demand.expectsFewWith(delivery));
  }

  /** Takes a delivery that is new, or that comes back because no connection could be opened ahead of its instant. */
  add(delivery: Delivery, from: DeliveryState | null): void {
    const nowMs = this.#deps.clock.now();
    if (from !== null) {
      this.#wakeAt(delivery, Math.min(delivery.sendAtMs, nowMs + TRY_AGAIN_MS), nowMs);
      return;
    }
    // A delivery that is not late waits behind the late ones of its own lane.
    if (isLate(delivery.sendAtMs, nowMs) || this.#late.has(delivery.lane)) {
      this.#late.push(delivery);
      return;
    }
    this.#load.add(delivery.sendAtMs);
    this.#prune();
    const approachAtMs = delivery.sendAtMs - CONNECT_AHEAD_MS;
    if (approachAtMs > nowMs) this.#approaching.push(delivery, approachAtMs);
    else this.#approach(delivery);
  }

  /** Enqueues the deliveries whose time has come. Returns when to call it again, by the database's clock, ms. */
  runDue(): number {
    if (this.#stopped) return Number.POSITIVE_INFINITY;
    const nowMs = this.#deps.clock.now();
    for (const next of this.#approaching.take(nowMs, LOOKED_AT_MAX)) if (isKnown(next)) this.#approach(next);
    this.#enqueueDue(nowMs);
    this.#enqueueFrom(this.#late, nowMs);
    if (this.#woken.size + this.#late.size > 0) return nowMs;
    return Math.min(this.#approaching.nextMs(), this.#ahead.nextMs(), this.#near.nextMs());
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
    const unwoken = [this.#approaching, this.#ahead, this.#near].reduce((n, queue) => n + queue.count(isKnown), 0);
    return unwoken + this.#woken.count() + this.#late.count();
  }

  #prune(): void {
    const known = this.#deps.deliveries.holdings.states.known;
    const queues = [this.#approaching, this.#ahead, this.#near];
    if (queues.reduce((n, { size }) => n + size, 0) < Math.max(2 * known, PRUNE_AT_MIN)) return;
    for (const queue of queues) queue.prune(isKnown);
  }

  #approach(delivery: Delivery): void {
    this.#expect(delivery);
    this.#ahead.push(delivery, delivery.sendAtMs - this.#aheadMaxMs);
  }

  #expect(delivery: Delivery): void {
    this.#deps.routes.route(delivery);
    this.#deps.demand.expect(delivery);
  }

  /** Schedules a delivery to be woken at `atMs`. It enters the sorted near queue only shortly before. */
  #wakeAt(delivery: Delivery, atMs: number, nowMs: number): void {
    delivery.wakeAtMs = atMs;
    if (atMs - COALESCE_MS > nowMs + STEP_MS) this.#ahead.push(delivery, atMs - COALESCE_MS);
    else this.#near.push(delivery);
  }

  #enqueueDue(nowMs: number): void {
    const { demand, rates, claimAheadMs } = this.#deps;
    let left = TURN_MAX - this.#enqueueFrom(this.#woken, nowMs);
    const rowsBeside = this.#load.beside(claimAheadMs, nowMs, nowMs + this.#aheadMaxMs + STEP_MS);
    const aheadMsOf = (delivery: Delivery) => this.#aheadMs(delivery, rowsBeside(delivery.sendAtMs));
    const ahead = this.#ahead.take(nowMs, LOOKED_AT_MAX);
    for (const next of ahead) if (isKnown(next)) this.#wakeAt(next, next.sendAtMs - aheadMsOf(next), nowMs);
    const early: Delivery[] = [];
    for (let n = 0; n < LOOKED_AT_MAX; n++) {
      const coalesceMs = left < TURN_MAX && left > TURN_MAX - COALESCE_MAX ? COALESCE_MS : 0;
      const next = this.#near.take(nowMs + coalesceMs);
      if (!next) break;
      if (!isKnown(next)) continue;
      const aheadMs = aheadMsOf(next);
      if (next.sendAtMs - nowMs > aheadMs + (rates.isNearLimit(next.lane) ? 0 : coalesceMs)) {
        next.wakeAtMs = Math.max(next.sendAtMs - aheadMs, nowMs + 1);
        early.push(next);
      } else if (left > 0 || (demand.expectsFewWith(next) && !this.#woken.has(next.lane))) {
        // A delivery outside a burst does not wait behind the burst, only behind its own lane.
        this.#enqueue(next, nowMs);
        left--;
      } else {
        this.#woken.push(next);
      }
    }
    for (const next of early) this.#wakeAt(next, next.wakeAtMs, nowMs);
  }

  /** Enqueues up to TURN_MAX deliveries of a queue. Returns how many. */
  #enqueueFrom(queue: TurnQueue<Delivery>, nowMs: number): number {
    for (let n = 0; n < TURN_MAX; n++) {
      const next = queue.take(nowMs);
      if (!next) return n;
      if (wasNeverWoken(next)) this.#expect(next);
      this.#enqueue(next, nowMs);
    }
    return TURN_MAX;
  }

  #enqueue(delivery: Delivery, nowMs: number): void {
    const { waitingList, claimAheadMs, routes } = this.#deps;
    routes.route(delivery);
    const { sendAtMs } = delivery;
    delivery.enqueuedAtMs = sendAtMs > nowMs ? Math.max(nowMs, sendAtMs - claimAheadMs) : null;
    waitingList.letPass(delivery);
  }

  /**
   * How far ahead of its instant a delivery is woken, ms, when `rows` are claimed or enqueued at the same time. Rows that
   * have left already count among them, so that it does not change from round to round.
   */
  #aheadMs({ shard, origin, lane }: Delivery, rows: number): number {
    const { preparation, rates, claimCost, claimAheadMs } = this.#deps;
    const enqueueMs = Math.min(rows * ENQUEUE_MS, ENQUEUE_MAX_MS) * (1 - shard / SHARDS);
    const claimMs = Math.min(claimCost.leadMs(rows), claimAheadMs);
    const preparationMs = Math.min(preparation.aheadMs(origin), claimAheadMs);
    const aheadMs = Math.max(claimMs + enqueueMs, preparationMs);
    return rates.isNearLimit(lane) ? Math.min(NEAR_LIMIT_LEAD_MS, aheadMs) : aheadMs;
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

function isKnown({ state }: Delivery): boolean {
  return state === "known";
}

/** Whether it came so late that it waits for its turn alone, without a time to wake it. */
function wasNeverWoken({ wakeAtMs }: Delivery): boolean {
  return Number.isNaN(wakeAtMs);
}
