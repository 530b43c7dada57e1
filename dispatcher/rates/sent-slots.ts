import { RUNTIME } from "../tuning/runtime.ts";
import type { RateLane } from "./rate-lane.ts";

/** Fixed by what a rate promises: a little over a second, so that a slot is free again only after a whole second. */
const SLOT_MS = 1_001;

/** A slot whose request was sent. `untilMs` is when its second ends, monotonic ms. */
export type SentSlot = { lane: RateLane; shard: number; untilMs: number };

/**
 * The slots of all lanes whose request was sent, in the order of their first bytes. Each is handed on some milliseconds
 * before its second ends, so that the lane's next request is claimed by then.
 */
export class SentSlots {
  readonly #monotonic: () => number;
  #slots: SentSlot[] = [];
  /** Index of the first slot whose second is not over, and of the first that was not handed on. */
  #first = 0;
  #firstHeld = 0;
  /** The slot whose request may not be written yet. */
  #latest: SentSlot | undefined;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /**
   * A first byte of `lane` leaves in this event-loop turn. Its second counts from the end of the write, because a busy machine may
   * delay the process until then. That end is the next first byte of this turn, or the end of the turn.
   */
  add(lane: RateLane, shard: number): void {
    if (this.#latest) this.#begin();
    else queueMicrotask(() => this.#begin());
    this.#latest = { untilMs: this.#monotonic() + SLOT_MS, lane, shard };
    this.#slots.push(this.#latest);
  }

  /**
   * Passes the slots whose second ends within `leadMs` to `handOn`. Returns when to hand on the next one, monotonic ms.
   */
  handOn(leadMs: number, handOn: (slot: SentSlot) => void): number {
    const now = this.#monotonic();
    for (let next = this.#slots[this.#firstHeld]; next && next.untilMs - leadMs <= now; ) {
      this.#firstHeld++;
      handOn(next);
      next = this.#slots[this.#firstHeld];
    }
    this.#forget(now);
    return (this.#slots[this.#firstHeld]?.untilMs ?? Number.POSITIVE_INFINITY) - leadMs;
  }

  /** For each lane of a shard, how many slots whose second is not over. */
  countOf(shard: number): Record<string, number> {
    const counts: Record<string, number> = {};
    const now = this.#monotonic();
    for (let at = this.#first; at < this.#slots.length; at++) {
      const one = this.#slots[at] as SentSlot;
      if (one.shard === shard && one.untilMs > now) counts[one.lane.key] = (counts[one.lane.key] ?? 0) + 1;
    }
    return counts;
  }

  /** The write of the latest request is over. */
  #begin(): void {
    if (this.#latest) this.#latest.untilMs = this.#monotonic() + SLOT_MS;
    this.#latest = undefined;
  }

  #forget(now: number): void {
    while (this.#first < this.#firstHeld && (this.#slots[this.#first] as SentSlot).untilMs <= now) this.#first++;
    if (this.#first > RUNTIME.pruneAtMin && this.#first * 2 > this.#slots.length) {
      this.#slots = this.#slots.slice(this.#first);
      this.#firstHeld -= this.#first;
      this.#first = 0;
    }
  }
}
