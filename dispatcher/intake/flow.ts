import { type Delivery, leavesBefore } from "../delivery/delivery.ts";
import { MinHeap } from "../runtime/min-heap.ts";

/** The deliveries of one lane to one origin that are still to be woken. Only the first of them has a time for it. */
export class Flow {
  readonly key: string;
  readonly lane: string;
  readonly #deliveries = new MinHeap<Delivery>(leavesBefore);
  /** When it is looked at next, epoch ms; infinity when nothing waits. Written by the wake queue. */
  wakeAtMs = Number.POSITIVE_INFINITY;
  /** Until when its deliveries wait, unless they fall due, epoch ms: no connection could be opened for one. */
  heldUntilMs = Number.NEGATIVE_INFINITY;

  constructor(key: string, lane: string) {
    this.key = key;
    this.lane = lane;
  }

  push(delivery: Delivery): void {
    this.#deliveries.push(delivery);
  }

  /** The first delivery that was not removed meanwhile. It stays. */
  first(): Delivery | undefined {
    let next = this.#deliveries.peek();
    while (next && !isKnown(next)) {
      this.#deliveries.pop();
      next = this.#deliveries.peek();
    }
    return next;
  }

  /** Takes out the delivery that `first` returned. */
  shift(): void {
    this.#deliveries.pop();
  }

  /** Drops what was removed. Takes linear time. */
  prune(): void {
    this.#deliveries.prune(isKnown);
  }

  /** How many were not removed. Takes linear time. */
  count(): number {
    return this.#deliveries.count(isKnown);
  }

  /** How many are here, with removed ones. */
  get size(): number {
    return this.#deliveries.size;
  }
}

export function isKnown({ state }: Delivery): boolean {
  return state === "known";
}
