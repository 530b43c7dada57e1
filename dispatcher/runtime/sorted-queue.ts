import { Fifo } from "./fifo.ts";
import { MinHeap } from "./min-heap.ts";

/**
 * A priority queue for items that arrive almost in order, as deliveries of one lane do. Those that arrive in order are
 * kept in a list, from which they are taken without a comparison; the others are kept in a heap.
 */
export class SortedQueue<T> {
  readonly #before: (a: T, b: T) => boolean;
  readonly #inOrder = new Fifo<T>();
  /** Undefined until it is needed, because most lanes have few items. */
  #others: MinHeap<T> | undefined;

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#inOrder.length + (this.#others?.size ?? 0);
  }

  push(item: T): void {
    const last = this.#inOrder.last();
    if (last === undefined || !this.#before(item, last)) {
      this.#inOrder.push(item);
    } else {
      this.#others ??= new MinHeap(this.#before);
      this.#others.push(item);
    }
  }

  peek(): T | undefined {
    return this.#firstOther() ?? this.#inOrder.peek();
  }

  pop(): T | undefined {
    return this.#firstOther() === undefined ? this.#inOrder.shift() : this.#others?.pop();
  }

  /** Removes all items and returns them in no order. */
  clear(): T[] {
    return [...this.#inOrder.clear(), ...(this.#others?.clear() ?? [])];
  }

  /** Drops the items that `keeps` rejects. */
  prune(keeps: (item: T) => boolean): void {
    this.#inOrder.take((item) => !keeps(item));
    this.#others?.prune(keeps);
  }

  /** The items that `passes` accepts, in no order. They stay. Takes linear time. */
  filter(passes: (item: T) => boolean): T[] {
    return [...this.#inOrder.values().filter(passes), ...(this.#others?.filter(passes) ?? [])];
  }

  /** How many items `passes` accepts. Takes linear time. */
  count(passes: (item: T) => boolean): number {
    return this.filter(passes).length;
  }

  /** The first item in the heap, if it comes before all those in the list. */
  #firstOther(): T | undefined {
    const other = this.#others?.peek();
    if (other === undefined) return undefined;
    const inOrder = this.#inOrder.peek();
    return inOrder === undefined || this.#before(other, inOrder) ? other : undefined;
  }
}
