/** A binary heap. The first element by `before` is on top. */
export class MinHeap<T> {
  readonly #before: (a: T, b: T) => boolean;
  #items: T[] = [];

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#before(item, items[parent] as T)) break;
      items[at] = items[parent] as T;
      at = parent;
    }
    items[at] = item;
  }

  pop(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (items.length > 0 && last !== undefined) this.#sink(last);
    return first;
  }

  /** Removes all elements and returns them in no order. */
  clear(): T[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }

  /** Drops the elements that `keeps` rejects. */
  prune(keeps: (item: T) => boolean): void {
    for (const item of this.clear()) if (keeps(item)) this.push(item);
  }

  /** The elements that `passes` accepts, in no order. They stay. Takes linear time. */
  filter(passes: (item: T) => boolean): T[] {
    return this.#items.filter(passes);
  }

  /** How many elements `passes` accepts. Takes linear time. */
  count(passes: (item: T) => boolean): number {
    return this.#items.reduce((n, item) => n + Number(passes(item)), 0);
  }

  /** Puts `item` into the place of the first element, and moves it down to where it belongs. */
  #sink(item: T): void {
    const items = this.#items;
    let at = 0;
    for (let child = 1; child < items.length; child = 2 * at + 1) {
      const right = child + 1;
      if (right < items.length && this.#before(items[right] as T, items[child] as T)) child = right;
      if (!this.#before(items[child] as T, item)) break;
      items[at] = items[child] as T;
      at = child;
    }
    items[at] = item;
  }
}
