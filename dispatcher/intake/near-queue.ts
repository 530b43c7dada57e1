import { type Delivery, leavesBefore } from "../delivery/delivery.ts";
import { MinHeap } from "../runtime/min-heap.ts";
import type { Flow } from "./flow.ts";

/** A flow whose first delivery is woken at `atMs`, epoch ms. It is outdated when the flow has another time by now. */
export type WakeUp = { readonly flow: Flow; readonly first: Delivery; readonly atMs: number };

/**
 * Flows that are woken soon, by wake-up time. A delivery outside a burst does not wait behind a burst to its origin, which
 * may have thousands; but it never overtakes a delivery of its own lane.
 */
export class NearQueue {
  readonly #expectsFewWith: (delivery: Delivery) => boolean;
  readonly #withFew = new MinHeap<WakeUp>(wakesBefore);
  readonly #ofBursts = new MinHeap<WakeUp>(wakesBefore);
  /** How many wake-ups of each lane are in `#ofBursts`. */
  readonly #lanesOfBursts = new Map<string, number>();

  constructor(expectsFewWith: (delivery: Delivery) => boolean) {
    this.#expectsFewWith = expectsFewWith;
  }

  push(wakeUp: WakeUp): void {
    if (this.#expectsFewWith(wakeUp.first)) this.#withFew.push(wakeUp);
    else this.#pushToBursts(wakeUp);
  }

  /** Removes and returns the next wake-up whose time is at most `untilMs`. */
  take(untilMs: number): WakeUp | undefined {
    for (let next = this.#withFew.peek(); next && next.atMs <= untilMs; next = this.#withFew.peek()) {
      this.#withFew.pop();
      if (!this.#lanesOfBursts.has(next.flow.lane)) return next;
      this.#pushToBursts(next);
    }
    const next = this.#ofBursts.peek();
    if (!next || next.atMs > untilMs) return undefined;
    this.#ofBursts.pop();
    this.#countLane(next, -1);
    return next;
  }

  /** The first wake-up time, ms; infinity when the queue is empty. */
  nextMs(): number {
    const ms = (heap: MinHeap<WakeUp>) => heap.peek()?.atMs ?? Number.POSITIVE_INFINITY;
    return Math.min(ms(this.#withFew), ms(this.#ofBursts));
  }

  /** Drops those that `isKept` does not accept. Takes linear time. */
  prune(isKept: (wakeUp: WakeUp) => boolean): void {
    this.#withFew.prune(isKept);
    for (const dropped of this.#ofBursts.filter((wakeUp) => !isKept(wakeUp))) this.#countLane(dropped, -1);
    this.#ofBursts.prune(isKept);
  }

  #pushToBursts(wakeUp: WakeUp): void {
    this.#ofBursts.push(wakeUp);
    this.#countLane(wakeUp, 1);
  }

  #countLane({ flow: { lane } }: WakeUp, change: 1 | -1): void {
    const count = (this.#lanesOfBursts.get(lane) ?? 0) + change;
    if (count > 0) this.#lanesOfBursts.set(lane, count);
    else this.#lanesOfBursts.delete(lane);
  }
}

/** Flows that are woken together go in due order, in which their lane sends them. */
const wakesBefore = (a: WakeUp, b: WakeUp): boolean =>
  a.atMs < b.atMs || (a.atMs === b.atMs && leavesBefore(a.first, b.first));
