import type { QueueAddOptions } from "p-queue";
import { type Delivery, leavesBefore } from "../delivery/delivery.ts";

type Run = () => Promise<unknown>;

/** A task whose `delivery` is null goes before all that wait. */
export type DueOptions = QueueAddOptions & { delivery?: Delivery | null };

/**
 * The queue is pruned of deliveries that no longer wait at this size, or at twice the size that the last pruning left.
 */
const PRUNE_AT_MIN = 1_024;

type Waiting = { run: Run; delivery: Delivery | null };

/** The queue inside a lane's p-queue, in due order: a delivery that joins late but was due earlier goes first. */
export class DueOrder {
  #waiting: Waiting[] = [];
  #pruneAt = PRUNE_AT_MIN;

  get size(): number {
    return this.#waiting.length;
  }

  enqueue(run: Run, options?: Partial<DueOptions>): void {
    if (this.#waiting.length >= this.#pruneAt) this.#prune();
    const one: Waiting = { run, delivery: options?.delivery ?? null };
    let low = 0;
    let high = this.#waiting.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (goesBefore(one, this.#waiting[middle] as Waiting)) high = middle;
      else low = middle + 1;
    }
    this.#waiting.splice(low, 0, one);
  }

  dequeue(): Run | undefined {
    return this.#waiting.shift()?.run;
  }

  filter(options: Partial<DueOptions>): Run[] {
    return this.#waiting.filter((item) => item.delivery === options.delivery).map((item) => item.run);
  }

  #prune(): void {
    this.#waiting = this.#waiting.filter(({ delivery }) => delivery === null || delivery.state === "awaiting turn");
    this.#pruneAt = Math.max(PRUNE_AT_MIN, 2 * this.#waiting.length);
  }

  // p-queue requires these methods. A lane is ordered by due time alone, and nothing is taken out of it.
  setPriority(): void {}
  remove(): void {}
}

function goesBefore(a: Waiting, b: Waiting): boolean {
  if (a.delivery === null || b.delivery === null) return a.delivery === null && b.delivery !== null;
  return leavesBefore(a.delivery, b.delivery);
}
