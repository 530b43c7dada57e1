import { MinHeap } from "./min-heap.ts";

/**
 * Items in buckets by the time step at which they become due. A bucket keeps the order of addition, so unlike in a
 * heap, items are not compared with each other.
 */
export class StepQueue<T> {
  readonly #stepMs: number;
  readonly #steps = new Map<number, T[]>();
  /** The steps that have items, the earliest first. */
  readonly #order = new MinHeap<number>((a, b) => a < b);
  #size = 0;

  constructor(stepMs: number) {
    this.#stepMs = stepMs;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds an item to the step of `atMs`. */
  push(item: T, atMs: number): void {
    const step = Math.floor(atMs / this.#stepMs);
    const items = this.#steps.get(step);
    if (items) {
      items.push(item);
    } else {
      this.#steps.set(step, [item]);
      this.#order.push(step);
    }
    this.#size++;
  }

  /** Removes and returns up to `max` items whose steps have begun at `nowMs`. */
  take(nowMs: number, max: number): T[] {
    const taken: T[] = [];
    for (let step = this.#order.peek(); step !== undefined && step * this.#stepMs <= nowMs; step = this.#order.peek()) {
      const items = this.#steps.get(step) ?? [];
      taken.push(...items.splice(0, max - taken.length));
      if (items.length > 0) break;
      this.#steps.delete(step);
      this.#order.pop();
    }
    this.#size -= taken.length;
    return taken;
  }

  /** When the first step with an item begins, ms; infinity when there is none. */
  nextMs(): number {
    const step = this.#order.peek();
    return step === undefined ? Number.POSITIVE_INFINITY : step * this.#stepMs;
  }

  /** Drops the items that `keeps` rejects. */
  prune(keeps: (item: T) => boolean): void {
    this.#size = 0;
    for (const [step, items] of this.#steps) {
      const kept = items.filter(keeps);
      this.#size += kept.length;
      if (kept.length > 0) this.#steps.set(step, kept);
      else this.#steps.delete(step);
    }
    this.#order.prune((step) => this.#steps.has(step));
  }

  /** How many items `passes` accepts. Takes linear time. */
  count(passes: (item: T) => boolean): number {
    return this.#steps.values().reduce((n, items) => n + items.filter(passes).length, 0);
  }
}
