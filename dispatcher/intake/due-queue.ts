import type { Deliveries } from "../delivery/deliveries.ts";
import { type Delivery, DUE_ORDER } from "../delivery/delivery.ts";
import type { DeliveryState } from "../delivery/states.ts";
import type { Time } from "../runtime/clock.ts";
import type { DueStage } from "../runtime/due-work.ts";
import { isLate } from "../runtime/lateness.ts";
import { MinHeap } from "../runtime/min-heap.ts";
import { TurnQueue } from "../runtime/turn-queue.ts";
import type { TurnRules } from "../runtime/turn-rules.ts";
import { BurstLoad } from "./burst-load.ts";

const CONNECT_AHEAD_MS = 2_000;
/** What falls due within this of a delivery that is enqueued now is enqueued with it. */
const COALESCE_MS = 80;
/** A lane near its limit claims only this long before it may send, so that the slot is not held for nothing. */
const NEAR_LIMIT_LEAD_MS = 8;
/** CPU time to enqueue one delivery. A burst is enqueued this much earlier per row. */
const ENQUEUE_MS = 0.05;
const ENQUEUE_MAX_MS = 1_000;
/** So many are enqueued in one turn of the event loop: the first of a burst are claimed while the next are enqueued. */
const TURN_MAX = 250;
/** … and so many more begin to wait for their turn. */
const WOKEN_MAX = 4_000;
/** Entries of deliveries that were removed are looked for when there are more of them than of others, and at least so many. */
const PRUNE_AT_MIN = 1_024;
/** A connection could not be had ahead of time: it is tried again after this. */
const TRY_AGAIN_MS = 500;

type Deps = {
  deliveries: Deliveries;
  clock: Time;
  /** A claim is made at most so long ahead, ms. */
  claimAheadMs: number;
  /** How long before its instant one of `rows` that leave together should be claimed. */
  claimCost: { leadMs(rows: number): number };
  rates: { isNearLimit(lane: string): boolean };
  demand: { expect(delivery: Delivery): void };
  waitingList: { letPass(delivery: Delivery): void };
};

/**
 * The deliveries that are known to fall due, in order. Each is looked at two seconds ahead, so that its connection can
 * be opened, and again ahead of its instant by what its turn and its claim take, which grows with how much else is due.
 */
export class DueQueue implements DueStage {
  readonly #deps: Deps;
  readonly #aheadMaxMs: number;
  /** Not looked at yet; and those whose connection was looked after. */
  readonly #approaching = new MinHeap<Delivery>((a, b) => a.wakeAtMs < b.wakeAtMs);
  readonly #near = new MinHeap<Delivery>((a, b) => a.wakeAtMs < b.wakeAtMs);
  /** More than one turn's of them should be enqueued by now: they are, in turns by lane. */
  readonly #woken = new TurnQueue(TURNS);
  /** Those that were overdue when they came, in turns by lane: they come after the others. */
  readonly #late = new TurnQueue(TURNS);
  readonly #load = new BurstLoad();
  #stopped = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#aheadMaxMs = deps.claimAheadMs + ENQUEUE_MAX_MS;
  }

  /** Takes a delivery that is new, or that comes back because no connection could be had ahead of its instant. */
  add(delivery: Delivery, from: DeliveryState | null): void {
    const nowMs = this.#deps.clock.now();
    if (from !== null) {
      this.#addNear(delivery, Math.min(delivery.sendAtMs, nowMs + TRY_AGAIN_MS));
      return;
    }
    // What is not late waits behind what its lane has here that is.
    if (isLate(delivery.sendAtMs, nowMs) || this.#late.has(delivery.lane)) {
      this.#late.push(delivery);
      return;
    }
    this.#load.add(delivery.sendAtMs);
    this.#prune();
    delivery.wakeAtMs = delivery.sendAtMs - CONNECT_AHEAD_MS;
    if (delivery.wakeAtMs > nowMs) this.#approaching.push(delivery);
    else this.#approach(delivery);
  }

  /** Looks at what is to be looked at now; returns when to come again, by the database's clock, ms. */
  runDue(): number {
    if (this.#stopped) return Number.POSITIVE_INFINITY;
    const nowMs = this.#deps.clock.now();
    for (let next = this.#approaching.peek(); next && next.wakeAtMs <= nowMs; next = this.#approaching.peek()) {
      this.#approaching.pop();
      if (next.state === "known") this.#approach(next);
    }
    this.#enqueueDue(nowMs);
    this.#enqueueFrom(this.#late, nowMs);
    if (this.#woken.size + this.#late.size > 0) return nowMs;
    return Math.min(
      this.#approaching.peek()?.wakeAtMs ?? Number.POSITIVE_INFINITY,
      this.#near.peek()?.wakeAtMs ?? Number.POSITIVE_INFINITY,
    );
  }

  /** Forgets how much fell due before `beforeMs`. */
  forgetLoad(beforeMs: number): void {
    this.#load.forget(beforeMs);
  }

  /** Enqueues nothing more. */
  stop(): void {
    this.#stopped = true;
  }

  /** How many deliveries are here. */
  count(): number {
    return this.#approaching.count(isKnown) + this.#near.count(isKnown) + this.#woken.count() + this.#late.count();
  }

  #prune(): void {
    const known = this.#deps.deliveries.holdings.states.known;
    if (this.#approaching.size + this.#near.size < Math.max(2 * known, PRUNE_AT_MIN)) return;
    for (const heap of [this.#approaching, this.#near]) heap.prune(isKnown);
  }

  #approach(delivery: Delivery): void {
    this.#deps.demand.expect(delivery);
    this.#addNear(delivery, delivery.sendAtMs - this.#aheadMaxMs);
  }

  #addNear(delivery: Delivery, atMs: number): void {
    delivery.wakeAtMs = atMs;
    this.#near.push(delivery);
  }

  #enqueueDue(nowMs: number): void {
    let left = TURN_MAX - this.#enqueueFrom(this.#woken, nowMs);
    let leadMs: number | undefined;
    let woken = 0;
    const early: Delivery[] = [];
    for (let next = this.#near.peek(); next && woken < WOKEN_MAX; next = this.#near.peek()) {
      const coalesceMs = left < TURN_MAX ? COALESCE_MS : 0;
      if (next.wakeAtMs > nowMs + coalesceMs) break;
      this.#near.pop();
      if (next.state !== "known") continue;
      leadMs ??= this.#leadMs(nowMs);
      const wantedMs = this.#deps.rates.isNearLimit(next.lane) ? NEAR_LIMIT_LEAD_MS : leadMs + coalesceMs;
      if (next.sendAtMs - nowMs > Math.min(wantedMs, this.#aheadMaxMs)) {
        next.wakeAtMs = Math.max(next.sendAtMs - Math.min(wantedMs, leadMs), nowMs + 1);
        early.push(next);
      } else if (left > 0) {
        this.#deps.waitingList.letPass(next);
        left--;
      } else {
        this.#woken.push(next);
        woken++;
      }
    }
    for (const delivery of early) this.#near.push(delivery);
  }

  /** Enqueues what waits in turns, a turn's at most; how many. */
  #enqueueFrom(queue: TurnQueue<Delivery>, nowMs: number): number {
    for (let n = 0; n < TURN_MAX; n++) {
      const next = queue.take(nowMs);
      if (!next) return n;
      const isNew = Number.isNaN(next.wakeAtMs);
      if (isNew) this.#deps.demand.expect(next);
      this.#deps.waitingList.letPass(next);
    }
    return TURN_MAX;
  }

  /** How far ahead of its instant what falls due now is enqueued, by how much falls due with it. */
  #leadMs(nowMs: number): number {
    const rows = this.#load.between(nowMs, nowMs + this.#aheadMaxMs);
    const { claimCost, claimAheadMs } = this.#deps;
    return Math.min(claimCost.leadMs(rows), claimAheadMs) + Math.min(rows * ENQUEUE_MS, ENQUEUE_MAX_MS);
  }
}

/** They are woken as long ahead as all that follows takes, so each is on time that is not late. */
const TURNS: TurnRules<Delivery> = {
  groupOf: ({ lane }) => lane,
  ...DUE_ORDER,
  isWaiting: isKnown,
  aheadMs: Number.POSITIVE_INFINITY,
};

function isKnown({ state }: Delivery): boolean {
  return state === "known";
}
