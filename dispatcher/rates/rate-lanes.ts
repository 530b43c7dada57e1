import type { Deliveries } from "../delivery/deliveries.ts";
import type { Delivery } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";
import type { DueStage } from "../runtime/due-work.ts";
import { RUNTIME } from "../tuning/runtime.ts";
import { isWaiting, RateLane, type Waiting } from "./rate-lane.ts";
import { type SentSlot, SentSlots } from "./sent-slots.ts";

type Deps = {
  deliveries: Deliveries;
  clock: Time;
  /** How long before it may leave a delivery should be claimed, ms. */
  cost: { leadMs(rows: number): number };
  /** Whether its origin and account have room for one more connection. */
  connections: { hasRoom(delivery: Delivery): boolean };
};

/**
 * Enforces each account's calls per second. A lane (one account in one environment) has as many slots as that rate. Each slot goes
 * to the delivery that is due first. A delivery takes a slot before its claim, and the slot stays taken until a second after its
 * first byte. So no sliding second has more first bytes than the rate. The slot is handed on to the next delivery while that second
 * still runs, early enough for a claim; that delivery leaves when the second is over. So a lane with more to send than its rate
 * sends at exactly its rate. A delivery that sends nothing frees its slot at once.
 */
export class RateLanes implements DueStage {
  readonly #deps: Deps;
  readonly #lanes = new Map<string, RateLane>();
  readonly #sent: SentSlots;
  #stopped = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#sent = new SentSlots(deps.clock.monotonic);
  }

  /** Sets a lane's calls per second. A changed rate applies from the next slot on. */
  setLimit(key: string, callsPerSecond: number): void {
    const lane = this.#laneOf(key);
    if (lane.limit === callsPerSecond) return;
    lane.limit = callsPerSecond;
    this.#fillSoon(lane);
  }

  /** A lane's calls per second; 1 for a lane that has had no delivery yet. */
  limitOf(key: string): number {
    return this.#lanes.get(key)?.limit ?? 1;
  }

  /** Takes a delivery. It moves on when it gets a slot. */
  add(delivery: Delivery): void {
    const lane = this.#laneOf(delivery.lane);
    const waits = lane.waiting.size > 0 || lane.taken >= lane.limit;
    lane.add({ delivery, addedAtMs: waits ? this.#deps.clock.now() : null });
    this.#fill(lane);
  }

  /** A delivery gives its slot back. The slot is free a second after its first byte, or now when nothing was sent. */
  onSlotReleased({ state, lane: key, shard, slotFromMs }: Delivery): void {
    const lane = this.#laneOf(key);
    lane.held--;
    if (state === "sent") {
      this.#occupy(lane, shard);
      return;
    }
    if (slotFromMs > this.#deps.clock.monotonic()) lane.noteHandedOn(slotFromMs);
    this.#fillSoon(lane);
  }

  /** For each lane of a shard, how many of its first bytes are less than a second ago. */
  sentOf(shard: number): Record<string, number> {
    return this.#sent.countOf(shard);
  }

  /**
   * Occupies slots for a second, for the first bytes that another dispatcher has just sent for this shard's lanes; also when more
   * are taken then than the lane has.
   */
  occupy(shard: number, sent: Record<string, number>): void {
    for (const [key, n] of Object.entries(sent)) {
      const lane = this.#laneOf(key);
      for (let slot = 0; slot < n; slot++) this.#occupy(lane, shard);
    }
  }

  /**
   * Hands on the slots whose second is about to end. Returns when to hand on the next one, if a delivery waits.
   */
  runDue(): number {
    const nextMs = this.#sent.handOn(this.#deps.cost.leadMs(1), this.#handOn);
    if (this.#deps.deliveries.holdings.states["awaiting slot"] === 0) return Number.POSITIVE_INFINITY;
    return this.#deps.clock.now() + nextMs - this.#deps.clock.monotonic();
  }

  /** Whether at least half of the lane's slots are taken, so that a delivery should take its slot late. */
  isNearLimit(key: string): boolean {
    const { waiting, taken, limit } = this.#laneOf(key);
    return waiting.size > 0 || taken * 2 >= limit;
  }

  /** Drops lanes that were unused for a second. */
  dropIdle(): void {
    const now = this.#deps.clock.monotonic();
    const { memoryByLane } = this.#deps.deliveries.holdings;
    for (const [key, lane] of this.#lanes) {
      if (memoryByLane.has(key) || lane.taken > 0) lane.usedAtMs = now;
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

  /** How many slots of each lane deliveries hold. */
  slots(): Map<string, number> {
    const held = new Map<string, number>();
    for (const [key, lane] of this.#lanes) if (lane.held !== 0) held.set(key, lane.held);
    return held;
  }

  /** Gives the free slots to the deliveries that wait, the first due first. */
  #fill(lane: RateLane): void {
    if (lane.isFilling || this.#stopped) return;
    lane.isFilling = true;
    while (lane.taken < lane.limit) {
      const next = lane.waiting.pop();
      if (!next) break;
      if (isWaiting(next)) this.#takeTurn(lane, next);
    }
    lane.isFilling = false;
  }

  /** As `#fill`, once the event loop's current callback is over: a slot may be released in the midst of a move. */
  #fillSoon(lane: RateLane): void {
    if (lane.waiting.size === 0 || lane.willFill) return;
    lane.willFill = true;
    queueMicrotask(() => {
      lane.willFill = false;
      this.#fill(lane);
    });
  }

  /** A delivery takes a slot, if there is room for its connection; otherwise it waits for that. */
  #takeTurn(lane: RateLane, { delivery, addedAtMs }: Waiting): void {
    const { deliveries, clock, connections } = this.#deps;
    const nowMs = clock.now();
    const hasRoom = connections.hasRoom(delivery);
    const freeInMs = hasRoom ? this.#takeSlot(lane, delivery) : 0;
    if (addedAtMs !== null) {
      delivery.waitMs += Math.max(0, nowMs + freeInMs - Math.max(addedAtMs, delivery.sendAtMs));
    }
    if (hasRoom) this.#setLeave(lane, delivery, nowMs);
    deliveries.move(delivery, hasRoom ? "admitted" : "awaiting connection");
  }

  /**
   * Sets when a delivery that has its slot leaves: at its instant; or when its slot is free, if that is later; but not
   * before deliveries of its lane that got their slots earlier and leave late.
   */
  #setLeave(lane: RateLane, delivery: Delivery, nowMs: number): void {
    const instantMs = delivery.sendAtMs - nowMs + this.#deps.clock.monotonic();
    const leavesAtMs = Math.max(instantMs, delivery.slotFromMs, lane.leavesLateAtMs);
    if (leavesAtMs === instantMs) return;
    delivery.leaveAtMs = delivery.sendAtMs + leavesAtMs - instantMs;
    lane.leavesLateAtMs = leavesAtMs;
  }

  /** Gives `delivery` a slot and notes when that is free. Returns in how many ms. */
  #takeSlot(lane: RateLane, delivery: Delivery): number {
    const now = this.#deps.clock.monotonic();
    delivery.slotFromMs = lane.takeSlot(now);
    return delivery.slotFromMs - now;
  }

  /** A first byte leaves now. */
  #occupy(lane: RateLane, shard: number): void {
    lane.sent++;
    this.#sent.add(lane, shard);
  }

  readonly #handOn = ({ lane, untilMs }: SentSlot): void => {
    lane.sent--;
    lane.noteHandedOn(untilMs);
    this.#fillSoon(lane);
  };

  #laneOf(key: string): RateLane {
    let lane = this.#lanes.get(key);
    if (!lane) {
      lane = new RateLane(key, this.#deps.clock.monotonic());
      this.#lanes.set(key, lane);
    }
    return lane;
  }
}
