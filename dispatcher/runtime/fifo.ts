const COMPACT_AFTER = 1_024;

/** A queue, first in, first out, with constant-time `push` and `shift`. */
export class Fifo<T> {
  #items: T[] = [];
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
    const item = this.#items[this.#first];
    if (this.#first < this.#items.length) this.#first++;
    if (this.#first > COMPACT_AFTER && this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }

  /** Takes out what `which` names; returns it in order. */
  take(which: (item: T) => boolean): T[] {
    const all = this.#items.slice(this.#first);
    const taken = all.filter(which);
    if (taken.length > 0) {
      const out = new Set(taken);
      this.#items = all.filter((item) => !out.has(item));
      this.#first = 0;
    }
    return taken;
  }
}
