import { type Delivery, leavesBefore } from "../delivery/delivery.ts";
import { SortedQueue } from "../runtime/sorted-queue.ts";
import { RUNTIME } from "../tuning/runtime.ts";

/** A delivery that waits for a slot. `addedAtMs` is null when a slot was free and no other delivery waited. */
export type Waiting = { delivery: Delivery; addedAtMs: number | null };

/** The slots of one lane, and the deliveries that wait for one. Written by `RateLanes`. */
export class RateLane {
  readonly key: string;
  /** How many slots there are: the lane's calls per second. */
  limit = 1;
  /** Slots of deliveries that were not sent yet. */
  held = 0;
  /** Slots of first bytes whose second is not over, and that were not handed on. */
  sent = 0;
  /** Deliveries without a slot, in due order. */
  readonly waiting = new SortedQueue<Waiting>((a, b) => leavesBefore(a.delivery, b.delivery));
  isFilling = false;
  willFill = false;
  usedAtMs: number;
  /** When the last delivery leaves, of those that got a slot and leave after their instants, monotonic ms. */
  leavesLateAtMs = Number.NEGATIVE_INFINITY;
  /** When the slots that were handed on early become free, monotonic ms, the earliest first. */
  readonly #handedOn: number[] = [];
  #pruneAt: number = RUNTIME.pruneAtMin;

  constructor(key: string, nowMs: number) {
    this.key = key;
    this.usedAtMs = nowMs;
  }

  /** How many slots are taken. More than there are, after the rate was lowered or another dispatcher's slots were taken over. */
  get taken(): number {
    return this.held + this.sent;
  }

  /** A delivery comes to wait. */
  add(waiting: Waiting): void {
    this.waiting.push(waiting);
    if (this.waiting.size < this.#pruneAt) return;
    this.waiting.prune(isWaiting);
    this.#pruneAt = Math.max(RUNTIME.pruneAtMin, 2 * this.waiting.size);
  }

  /** Takes a slot. Returns when it is free, monotonic ms: `nowMs`, or later if it was handed on early. */
  takeSlot(nowMs: number): number {
    while (this.#handedOn[0] !== undefined && this.#handedOn[0] <= nowMs) this.#handedOn.shift();
    const areFree = this.limit - this.taken - this.#handedOn.length > 0;
    this.held++;
    return areFree ? nowMs : (this.#handedOn.shift() ?? nowMs);
  }

  /** A slot was handed on that is free at `untilMs`, monotonic ms. */
  noteHandedOn(untilMs: number): void {
    const at = this.#handedOn.findLastIndex((other) => other <= untilMs);
    this.#handedOn.splice(at + 1, 0, untilMs);
  }
}

/** Whether a delivery still waits for a slot. */
export function isWaiting({ delivery }: Waiting): boolean {
  return delivery.state === "awaiting slot";
}
