import PQueue from "p-queue";
import type { Deliveries } from "../delivery/deliveries.ts";
import { type Delivery, leavesBefore } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";
import type { DueStage } from "../runtime/due-work.ts";
import { SortedQueue } from "../runtime/sorted-queue.ts";
import { RUNTIME } from "../tuning/runtime.ts";
import { type SentSlot, SentSlots } from "./sent-slots.ts";

/** Slots for another dispatcher's recent first bytes come before those for waiting deliveries. */
const BEFORE_WAITING = { priority: 1 };

/** A delivery that waits for a slot. `addedAtMs` is null when a slot was free and no other delivery waited. */
type Waiting = { delivery: Delivery; addedAtMs: number | null };

type Lane = {
  /** A task holds a slot as long as it runs. While all slots are taken, one task waits on behalf of all deliveries. */
  slots: PQueue;
  /** Deliveries without a slot, in due order. */
  waiting: SortedQueue<Waiting>;
  pruneAt: number;
  isFilling: boolean;
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
 * Enforces each account's calls per second. A lane (one account in one environment) has a p-queue whose concurrency is
 * that rate. Each slot goes to the delivery that is due first. A delivery takes a slot before its claim, and the slot
 * stays taken until a second after its first byte. So no sliding second has more first bytes than the rate. (p-queue's
 * own interval would not do: it counts when tasks start, by the wall clock.) The slot is handed on to the next delivery
 * while that second still runs, early enough for a claim; that delivery leaves when the second is over. So a lane with
 * more to send than its rate sends at exactly its rate. A delivery that sends nothing frees its slot at once.
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
    const { slots } = this.#laneOf(key);
    if (slots.concurrency !== callsPerSecond) slots.concurrency = callsPerSecond;
  }

  /** A lane's calls per second; 1 for a lane that has had no delivery yet. */
  limitOf(key: string): number {
    return this.#lanes.get(key)?.slots.concurrency ?? 1;
  }

  /** Takes a delivery. It moves on when it gets a slot. */
  add(delivery: Delivery): void {
    const lane = this.#laneOf(delivery.lane);
    const { slots, waiting } = lane;
    const waits = waiting.size > 0 || slots.pending >= slots.concurrency;
    waiting.push({ delivery, addedAtMs: waits ? this.#deps.clock.now() : null });
    if (waiting.size >= lane.pruneAt) {
      waiting.prune(isWaiting);
      lane.pruneAt = Math.max(RUNTIME.pruneAtMin, 2 * waiting.size);
    }
    this.#fill(lane);
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
      const { slots } = this.#laneOf(lane);
      if (slots.concurrency < n) slots.concurrency = n;
      const task = () => new Promise<void>((free) => this.#sent.add({ free, lane, shard }));
      for (let slot = 0; slot < n; slot++) void slots.add(task, BEFORE_WAITING);
    }
  }

  /**
   * Hands on the slots whose second is about to end. Returns when to hand on the next one, if a delivery waits.
   */
  runDue(): number {
    const nextMs = this.#sent.handOn(this.#deps.cost.leadMs(1), this.#handOn);
    if (this.#deps.deliveries.holdings.states["awaiting turn"] === 0) return Number.POSITIVE_INFINITY;
    return this.#deps.clock.now() + nextMs - this.#deps.clock.monotonic();
  }

  /** Whether at least half of the lane's slots are taken, so that a delivery should take its slot late. */
  isNearLimit(key: string): boolean {
    const { slots, waiting } = this.#laneOf(key);
    return waiting.size > 0 || slots.pending * 2 >= slots.concurrency;
  }

  /** Drops lanes that were unused for a second. */
  dropIdle(): void {
    const now = this.#deps.clock.monotonic();
    const { memoryByLane } = this.#deps.deliveries.holdings;
    for (const [key, lane] of this.#lanes) {
      if (memoryByLane.has(key) || lane.slots.size > 0 || lane.slots.pending > 0) lane.usedAtMs = now;
      else if (now - lane.usedAtMs > RUNTIME.rememberedMs) this.#lanes.delete(key);
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
    const held = new Map<string, number>();
    const sent = this.#sent.countHeld();
    for (const [key, { slots }] of this.#lanes) {
      const n = slots.pending - (sent.get(key) ?? 0);
      if (n !== 0) held.set(key, n);
    }
    return held;
  }

  /**
   * Has p-queue start a task for each slot that is free, as long as deliveries wait. It starts them at once. When no
   * slot is free, the last task waits for one.
   */
  #fill(lane: Lane): void {
    if (lane.isFilling || this.#stopped) return;
    lane.isFilling = true;
    const task = () => this.#giveSlot(lane);
    while (lane.waiting.size > 0 && lane.slots.size === 0) void lane.slots.add(task);
    lane.isFilling = false;
  }

  /** The task that holds a slot: gives it to the first delivery that still waits and has a connection. */
  #giveSlot(lane: Lane): Promise<void> | undefined {
    let task: Promise<void> | undefined;
    while (!task && !this.#stopped) {
      const next = lane.waiting.pop();
      if (!next) return;
      if (isWaiting(next)) task = this.#takeTurn(lane, next);
    }
    this.#fill(lane);
    return task;
  }

  /** A delivery holds its slot as long as the promise is pending. A delivery without room takes none. */
  #takeTurn(lane: Lane, { delivery, addedAtMs }: Waiting): Promise<void> | undefined {
    const { deliveries, clock, connections } = this.#deps;
    const nowMs = clock.now();
    const hasRoom = connections.hasRoom(delivery);
    const freeInMs = hasRoom ? this.#takeSlot(lane, delivery) : 0;
    if (addedAtMs !== null) {
      delivery.waitMs += Math.max(0, nowMs + freeInMs - Math.max(addedAtMs, delivery.sendAtMs));
    }
    if (!hasRoom) {
      deliveries.move(delivery, "awaiting connection");
      return;
    }
    this.#setLeave(lane, delivery, nowMs);
    return new Promise((free) => {
      delivery.freeSlot = free;
      deliveries.move(delivery, "admitted");
    });
  }

  /**
   * Sets when a delivery that has its slot leaves: at its instant; or when its slot is free, if that is later; but not
   * before deliveries of its lane that got their slots earlier and leave late.
   */
  #setLeave(lane: Lane, delivery: Delivery, nowMs: number): void {
    const instantMs = delivery.sendAtMs - nowMs + this.#deps.clock.monotonic();
    const leavesAtMs = Math.max(instantMs, delivery.slotFromMs, lane.leavesLateAtMs);
    if (leavesAtMs === instantMs) return;
    delivery.leaveAtMs = delivery.sendAtMs + leavesAtMs - instantMs;
    lane.leavesLateAtMs = leavesAtMs;
  }

  /** Determines when the slot that p-queue gave to `delivery` becomes free. Returns in how many ms. */
  #takeSlot({ slots, handedOn }: Lane, delivery: Delivery): number {
    const now = this.#deps.clock.monotonic();
    while (handedOn[0] !== undefined && handedOn[0] <= now) handedOn.shift();
    const free = slots.concurrency - (slots.pending - 1) - handedOn.length;
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
      lane = newLane(this.#deps.clock.monotonic());
      this.#lanes.set(key, lane);
    }
    return lane;
  }
}

const newLane = (nowMs: number): Lane => ({
  slots: new PQueue({ concurrency: 1 }),
  waiting: new SortedQueue((a, b) => leavesBefore(a.delivery, b.delivery)),
  pruneAt: RUNTIME.pruneAtMin,
  isFilling: false,
  usedAtMs: nowMs,
  handedOn: [],
  leavesLateAtMs: Number.NEGATIVE_INFINITY,
});

function isWaiting({ delivery }: Waiting): boolean {
  return delivery.state === "awaiting turn";
}
