/** A binary heap: the smallest element by `before` first. */
export function createMinHeap<T>(before: (a: T, b: T) => boolean) {
  const items: T[] = [];

  const swap = (a: number, b: number) => {
    const kept = items[a] as T;
    items[a] = items[b] as T;
    items[b] = kept;
  };

  return {
    get size() {
      return items.length;
    },
    peek: (): T | undefined => items[0],
    push(item: T) {
      let at = items.push(item) - 1;
      while (at > 0) {
        const parent = (at - 1) >> 1;
        if (!before(items[at] as T, items[parent] as T)) return;
        swap(at, parent);
        at = parent;
      }
    },
    pop(): T | undefined {
      const first = items[0];
      const last = items.pop();
      if (items.length === 0 || last === undefined) return first;
      items[0] = last;
      for (let at = 0; ; ) {
        const left = 2 * at + 1;
        const right = left + 1;
        let smallest = at;
        if (left < items.length && before(items[left] as T, items[smallest] as T)) smallest = left;
        if (right < items.length && before(items[right] as T, items[smallest] as T)) smallest = right;
        if (smallest === at) return first;
        swap(at, smallest);
        at = smallest;
      }
    },
    /** Takes out everything that does not pass; returns what was taken out. */
    drop(passes: (item: T) => boolean): T[] {
      const dropped = items.filter((item) => !passes(item));
      if (dropped.length === 0) return dropped;
      const kept = items.filter(passes);
      items.length = 0;
      for (const item of kept) this.push(item);
      return dropped;
    },
  };
}

export type MinHeap<T> = ReturnType<typeof createMinHeap<T>>;
