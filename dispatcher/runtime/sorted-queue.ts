import { Fifo } from "./fifo.ts";
import { MinHeap } from "./min-heap.ts";

/**
 * A priority queue for items that arrive almost in order, as deliveries of one lane do. Those that arrive in order are
 * kept in a list, from which they are taken without a comparison; the others are kept in a heap.
 */
export class SortedQueue<T> {
  readonly #before: (a: T, b: T) => boolean;
  readonly #inOrder = new Fifo<T>();
  readonly #others: MinHeap<T>;

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
    this.#others = new MinHeap(before);
  }

  get size(): number {
    return this.#inOrder.length + this.#others.size;
  }

  push(item: T): void {
    const last = this.#inOrder.last();
    if (last === undefined || !this.#before(item, last)) this.#inOrder.push(item);
    else this.#others.push(item);
  }

  peek(): T | undefined {
    return this.#isOtherFirst() ? this.#others.peek() : this.#inOrder.peek();
  }

  pop(): T | undefined {
    return this.#isOtherFirst() ? this.#others.pop() : this.#inOrder.shift();
  }

  /** Removes all items and returns them in no order. */
  clear(): T[] {
    return [...this.#inOrder.clear(), ...this.#others.clear()];
  }

  /** Drops the items that `keeps` rejects. */
  prune(keeps: (item: T) => boolean): void {
    this.#inOrder.take((item) => !keeps(item));
    this.#others.prune(keeps);
  }

  /** The items that `passes` accepts, in no order. They stay. Takes linear time. */
  filter(passes: (item: T) => boolean): T[] {
    return [...this.#inOrder.values().filter(passes), ...this.#others.filter(passes)];
  }

  /** How many items `passes` accepts. Takes linear time. */
  count(passes: (item: T) => boolean): number {
    return this.filter(passes).length;
  }

  #isOtherFirst(): boolean {
    const other = this.#others.peek();
    if (other === undefined) return false;
    const inOrder = this.#inOrder.peek();
    return inOrder === undefined || this.#before(other, inOrder);
  }
}
