/** First in, first out, with constant-time `push` and `shift`. */
export function createQueue<T>() {
  let items: T[] = [];
  let first = 0;

  return {
    get length() {
      return items.length - first;
    },
    peek: (): T | undefined => items[first],
    push(item: T) {
      items.push(item);
    },
    shift(): T | undefined {
      const item = items[first];
      if (first < items.length) first++;
      if (first > 1_024 && first * 2 > items.length) {
        items = items.slice(first);
        first = 0;
      }
      return item;
    },
    /** Takes out what `which` names, in order. */
    take(which: (item: T) => boolean): T[] {
      const all = items.slice(first);
      const taken = all.filter(which);
      if (taken.length > 0) {
        const out = new Set(taken);
        items = all.filter((item) => !out.has(item));
        first = 0;
      }
      return taken;
    },
  };
}

export type Queue<T> = ReturnType<typeof createQueue<T>>;
