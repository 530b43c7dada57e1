/** Bounds memory: so many items that were taken out are kept before the others move up. */
const COMPACT_AFTER = 64;

/** A first-in, first-out queue with constant-time `push` and `shift`. */
export class Fifo<T> {
  /** Items that were taken out are replaced by `undefined`, so that they can be collected. */
  #items: (T | undefined)[] = [];
  #first = 0;

  get length(): number {
    return this.#items.length - this.#first;
  }

  peek(): T | undefined {
    return this.#items[this.#first];
  }

  /** The item that was added last, if it is still there. */
  last(): T | undefined {
    return this.#items.at(-1);
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    const items = this.#items;
    // `pop` keeps the array's memory for the next item.
    if (items.length - this.#first <= 1) return this.length === 0 ? undefined : items.pop();
    const item = items[this.#first];
    items[this.#first++] = undefined;
    if (this.#first > COMPACT_AFTER && this.#first * 2 > items.length) {
      this.#items = items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }

  /** The first item that `which` accepts. It stays, and those before it that `keeps` rejects are dropped. */
  find(which: (item: T) => boolean, keeps: (item: T) => boolean): T | undefined {
    const passed: T[] = [];
    let item = this.peek();
    for (; item !== undefined; item = this.peek()) {
      if (keeps(item)) {
        if (which(item)) break;
        passed.push(item);
      }
      this.shift();
    }
    this.#unshift(passed);
    return item;
  }

  /** Removes all items and returns them in order. */
  clear(): T[] {
    const all = this.values();
    this.#items = [];
    this.#first = 0;
    return all;
  }

  /** The items, in order. */
  values(): T[] {
    return this.#items.slice(this.#first) as T[];
  }

  /** Removes the items that `which` accepts and returns them in order. */
  take(which: (item: T) => boolean): T[] {
    const all = this.values();
    const taken = all.filter(which);
    if (taken.length > 0) {
      const out = new Set(taken);
      this.#items = all.filter((item) => !out.has(item));
      this.#first = 0;
    }
    return taken;
  }

  /** Puts items before all others. */
  #unshift(items: readonly T[]): void {
    if (items.length > this.#first) {
      this.#items = [...items, ...this.values()];
      this.#first = 0;
      return;
    }
    for (let at = items.length - 1; at >= 0; at--) this.#items[--this.#first] = items[at];
  }
}
