import PQueue from "p-queue";
import type { Deliveries } from "../delivery/deliveries.ts";
import type { Delivery } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";
import type { DueStage } from "../runtime/due-work.ts";
import { type DueOptions, DueOrder } from "./due-order.ts";
import { type SentSlot, SentSlots } from "./sent-slots.ts";

const IDLE_MS = 1_000;

type Lane = {
  queue: PQueue<DueOrder, DueOptions>;
  usedAtMs: number;
  /** When the slots that were handed on early become free, monotonic ms, the earliest first. */
  handedOn: number[];
  /** When the last delivery leaves, of those that got a slot and leave after their instants, monotonic ms. */
  leavesLateAtMs: number;
};

type Deps = {
  deliveries: Deliveries;
  clock: Time;
  /** How long before it may leave a delivery should be claimed, ms. */
  cost: { leadMs(rows: number): number };
  /** Whether its origin and account have room for one more connection. */
  connections: { hasRoom(delivery: Delivery): boolean };
};

/**
 * Enforces each account's calls per second. A lane (one account in one environment) is a p-queue in due order whose
 * concurrency is that rate. A delivery takes a slot before its claim, and the slot stays taken until a second after its
 * first byte. So no sliding second has more first bytes than the rate. (p-queue's own interval counts when tasks start,
 * by the wall clock, which is something else.) The slot is handed on to the next delivery while that second still runs,
 * early enough for a claim. That delivery leaves when the second is over. So a lane with more to send than its rate
 * sends at exactly its rate. A delivery that sends nothing frees its slot at once.
 */
export class RateLanes implements DueStage {
  readonly #deps: Deps;
  readonly #lanes = new Map<string, Lane>();
  readonly #sent: SentSlots;
  #stopped = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#sent = new SentSlots(deps.clock.monotonic);
  }

  /** Sets a lane's calls per second. A changed rate applies from the next slot on. */
  setLimit(key: string, callsPerSecond: number): void {
    const { queue } = this.#laneOf(key);
    if (queue.concurrency !== callsPerSecond) queue.concurrency = callsPerSecond;
  }

  /** A lane's calls per second; 1 for a lane that has had no delivery yet. */
  limitOf(key: string): number {
    return this.#lanes.get(key)?.queue.concurrency ?? 1;
  }

  /** Takes a delivery. It moves on when it gets a slot. */
  add(delivery: Delivery): void {
    const { queue } = this.#laneOf(delivery.lane);
    const waits = queue.size > 0 || queue.pending >= queue.concurrency;
    const addedAtMs = this.#deps.clock.now();
    const task = () => this.#takeTurn(delivery, waits ? addedAtMs : null);
    void queue.add(task, { delivery });
  }

  /** A delivery gives its slot back. The slot is free a second after its first byte, or now when nothing was sent. */
  onSlotReleased(delivery: Delivery): void {
    const { freeSlot: free, lane, shard, slotFromMs } = delivery;
    delivery.freeSlot = null;
    if (!free) return;
    if (delivery.state === "sent") {
      this.#sent.add({ free, lane, shard });
      return;
    }
    if (slotFromMs > this.#deps.clock.monotonic()) {
      const { handedOn } = this.#laneOf(lane);
      handedOn.push(slotFromMs);
      handedOn.sort((a, b) => a - b);
    }
    free();
  }

  /** For each lane of a shard, how many of its first bytes are less than a second ago. */
  sentOf(shard: number): Record<string, number> {
    return this.#sent.countOf(shard);
  }

  /** Occupies slots for a second, for the first bytes that another dispatcher has just sent for this shard's lanes. */
  occupy(shard: number, sent: Record<string, number>): void {
    for (const [lane, n] of Object.entries(sent)) {
      const { queue } = this.#laneOf(lane);
      if (queue.concurrency < n) queue.concurrency = n;
      const task = () => new Promise<void>((free) => this.#sent.add({ free, lane, shard }));
      for (let slot = 0; slot < n; slot++) void queue.add(task, { delivery: null });
    }
  }

  /**
   * Hands on the slots whose second is about to end. Returns when the next one is to be handed on, if a delivery waits.
   */
  runDue(): number {
    const nextMs = this.#sent.handOn(this.#deps.cost.leadMs(1), this.#handOn);
    if (this.#deps.deliveries.holdings.states["awaiting turn"] === 0) return Number.POSITIVE_INFINITY;
    return this.#deps.clock.now() + nextMs - this.#deps.clock.monotonic();
  }

  /** Whether so many of the lane's slots are taken that a delivery should take its slot late. */
  isNearLimit(key: string): boolean {
    const { queue } = this.#laneOf(key);
    return queue.size > 0 || queue.pending * 2 >= queue.concurrency;
  }

  /** Drops lanes that were unused for a second. */
  dropIdle(): void {
    const now = this.#deps.clock.monotonic();
    const { memoryByLane } = this.#deps.deliveries.holdings;
    for (const [key, lane] of this.#lanes) {
      if (memoryByLane.has(key) || lane.queue.size > 0 || lane.queue.pending > 0) lane.usedAtMs = now;
      else if (now - lane.usedAtMs > IDLE_MS) this.#lanes.delete(key);
    }
  }

  /** How many lanes there are. */
  get size(): number {
    return this.#lanes.size;
  }

  /** Gives no more slots. */
  stop(): void {
    this.#stopped = true;
  }

  /** How many slots of each lane deliveries hold, according to p-queue. */
  slots(): Map<string, number> {
    const slots = new Map<string, number>();
    const sent = this.#sent.countHeld();
    for (const [key, { queue }] of this.#lanes) {
      const n = queue.pending - (sent.get(key) ?? 0);
      if (n !== 0) slots.set(key, n);
    }
    return slots;
  }

  /** The task of a delivery in p-queue. It holds the slot as long as the promise is pending. */
  #takeTurn(delivery: Delivery, addedAtMs: number | null): Promise<void> | undefined {
    const { deliveries, clock, connections } = this.#deps;
    if (delivery.state !== "awaiting turn" || this.#stopped) return;
    const nowMs = clock.now();
    const hasRoom = connections.hasRoom(delivery);
    const freeInMs = hasRoom ? this.#takeSlot(delivery) : 0;
    if (addedAtMs !== null) {
      delivery.waitMs += Math.max(0, nowMs + freeInMs - Math.max(addedAtMs, delivery.sendAtMs));
    }
    if (!hasRoom) {
      deliveries.move(delivery, "awaiting connection");
      return;
    }
    this.#setLeave(delivery, nowMs);
    return new Promise((free) => {
      delivery.freeSlot = free;
      deliveries.move(delivery, "admitted");
    });
  }

  /**
   * Sets when a delivery that has its slot leaves: at its instant; when its slot is free, if that is later; and no
   * earlier than the deliveries of its lane that got theirs before and leave late.
   */
  #setLeave(delivery: Delivery, nowMs: number): void {
    const lane = this.#laneOf(delivery.lane);
    const instantMs = delivery.sendAtMs - nowMs + this.#deps.clock.monotonic();
    const leavesAtMs = Math.max(instantMs, delivery.slotFromMs, lane.leavesLateAtMs);
    if (leavesAtMs === instantMs) return;
    delivery.leaveAtMs = delivery.sendAtMs + leavesAtMs - instantMs;
    lane.leavesLateAtMs = leavesAtMs;
  }

  /** Determines when the slot that a delivery got from p-queue becomes free. Returns in how many ms that is. */
  #takeSlot(delivery: Delivery): number {
    const { queue, handedOn } = this.#laneOf(delivery.lane);
    const now = this.#deps.clock.monotonic();
    while (handedOn[0] !== undefined && handedOn[0] <= now) handedOn.shift();
    const free = queue.concurrency - (queue.pending - 1) - handedOn.length;
    delivery.slotFromMs = free > 0 ? now : (handedOn.shift() ?? now);
    return delivery.slotFromMs - now;
  }

  readonly #handOn = ({ lane: key, untilMs, free }: SentSlot): void => {
    this.#laneOf(key).handedOn.push(untilMs);
    free();
  };

  #laneOf(key: string): Lane {
    let lane = this.#lanes.get(key);
    if (!lane) {
      const queue = new PQueue<DueOrder, DueOptions>({ concurrency: 1, queueClass: DueOrder });
      lane = { queue, usedAtMs: this.#deps.clock.monotonic(), handedOn: [], leavesLateAtMs: Number.NEGATIVE_INFINITY };
      this.#lanes.set(key, lane);
    }
    return lane;
  }
}
