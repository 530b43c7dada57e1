import { type Delivery, leavesBefore } from "../delivery/delivery.ts";
import { MinHeap } from "../runtime/min-heap.ts";

/**
 * Deliveries that will be enqueued soon, by wake-up time. A delivery outside a burst does not wait behind a burst to
 * its origin, which may have thousands; but it never overtakes a delivery of its own lane.
 */
export class NearQueue {
  readonly #expectsFewWith: (delivery: Delivery) => boolean;
  readonly #withFew = new MinHeap<Delivery>(wakesBefore);
  readonly #ofCrowds = new MinHeap<Delivery>(wakesBefore);
  /** How many deliveries of each lane are in `#ofCrowds`. */
  readonly #lanesOfCrowds = new Map<string, number>();

  constructor(expectsFewWith: (delivery: Delivery) => boolean) {
    this.#expectsFewWith = expectsFewWith;
  }

  /** How many are here, with removed ones that were not dropped yet. */
  get size(): number {
    return this.#withFew.size + this.#ofCrowds.size;
  }

  push(delivery: Delivery): void {
    if (this.#expectsFewWith(delivery)) this.#withFew.push(delivery);
    else this.#pushToCrowds(delivery);
  }

  /** Removes and returns the next delivery whose wake-up time is at most `untilMs`. */
  take(untilMs: number): Delivery | undefined {
    for (let next = this.#withFew.peek(); next && next.wakeAtMs <= untilMs; next = this.#withFew.peek()) {
      this.#withFew.pop();
      if (!this.#lanesOfCrowds.has(next.lane)) return next;
      this.#pushToCrowds(next);
    }
    const next = this.#ofCrowds.peek();
    if (!next || next.wakeAtMs > untilMs) return undefined;
    this.#ofCrowds.pop();
    this.#countLane(next, -1);
    return next;
  }

  /** The first wake-up time, ms; infinity when the queue is empty. */
  nextMs(): number {
    const ms = (heap: MinHeap<Delivery>) => heap.peek()?.wakeAtMs ?? Number.POSITIVE_INFINITY;
    return Math.min(ms(this.#withFew), ms(this.#ofCrowds));
  }

  /** Drops those that `isKept` does not accept. Takes linear time. */
  prune(isKept: (delivery: Delivery) => boolean): void {
    this.#withFew.prune(isKept);
    for (const dropped of this.#ofCrowds.filter((delivery) => !isKept(delivery))) this.#countLane(dropped, -1);
    this.#ofCrowds.prune(isKept);
  }

  /** How many `is` accepts. Takes linear time. */
  count(is: (delivery: Delivery) => boolean): number {
    return this.#withFew.count(is) + this.#ofCrowds.count(is);
  }

  #pushToCrowds(delivery: Delivery): void {
    this.#ofCrowds.push(delivery);
    this.#countLane(delivery, 1);
  }

  #countLane({ lane }: Delivery, change: 1 | -1): void {
    const count = (this.#lanesOfCrowds.get(lane) ?? 0) + change;
    if (count > 0) this.#lanesOfCrowds.set(lane, count);
    else this.#lanesOfCrowds.delete(lane);
  }
}

/** Deliveries that are woken together go in due order, in which their lane sends them. */
const wakesBefore = (a: Delivery, b: Delivery): boolean =>
  a.wakeAtMs < b.wakeAtMs || (a.wakeAtMs === b.wakeAtMs && leavesBefore(a, b));
