import type { QueueAddOptions } from "p-queue";
import { type Delivery, leavesBefore } from "../delivery/delivery.ts";

type Run = () => Promise<unknown>;

/** `delivery` null goes before everything that waits. */
export type DueOptions = QueueAddOptions & { delivery?: Delivery | null };

/** Deliveries that no longer wait are dropped when the queue has grown to this, or to twice what waited last. */
const PRUNE_AT_MIN = 1_024;

type Waiting = { run: Run; delivery: Delivery | null };

/** The queue inside a lane's p-queue: by due time, so that what joins late and was due earlier goes first. */
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

  // The rest of what p-queue asks of a queue class: a lane is ordered by due time alone, and nothing is taken out of it.
  setPriority(): void {}
  remove(): void {}
}

function goesBefore(a: Waiting, b: Waiting): boolean {
  if (a.delivery === null || b.delivery === null) return a.delivery === null && b.delivery !== null;
  return leavesBefore(a.delivery, b.delivery);
}
