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
      if (!this.#before(items[at] as T, items[parent] as T)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  pop(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (items.length === 0 || last === undefined) return first;
    items[0] = last;
    for (let at = 0; ; ) {
      const smallest = this.#smallestOf(at);
      if (smallest === at) return first;
      this.#swap(at, smallest);
      at = smallest;
    }
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

  /** The index of the smallest of an element and its two children. */
  #smallestOf(at: number): number {
    const items = this.#items;
    const left = 2 * at + 1;
    const right = left + 1;
    let smallest = at;
    if (left < items.length && this.#before(items[left] as T, items[smallest] as T)) smallest = left;
    if (right < items.length && this.#before(items[right] as T, items[smallest] as T)) smallest = right;
    return smallest;
  }

  #swap(a: number, b: number): void {
    const kept = this.#items[a] as T;
    this.#items[a] = this.#items[b] as T;
    this.#items[b] = kept;
  }
}
