const COMPACT_AFTER = 1_024;

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

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    if (this.#first === this.#items.length) return undefined;
    const item = this.#items[this.#first];
    this.#items[this.#first++] = undefined;
    const isEmpty = this.#first === this.#items.length;
    if (isEmpty || (this.#first > COMPACT_AFTER && this.#first * 2 > this.#items.length)) {
      this.#items = isEmpty ? [] : this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }

  /** Removes the items that `which` accepts and returns them in order. */
  take(which: (item: T) => boolean): T[] {
    const all = this.#items.slice(this.#first) as T[];
    const taken = all.filter(which);
    if (taken.length > 0) {
      const out = new Set(taken);
      this.#items = all.filter((item) => !out.has(item));
      this.#first = 0;
    }
    return taken;
  }
}
