export type Random = ReturnType<typeof createRandom>;

/** A seeded source of random numbers: the same seed gives the same ones. Source of the generator: mulberry32, public domain. */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    /** From 0, below 1. */
    next,
    chance: (probability: number) => next() < probability,
    between: (low: number, high: number) => low + next() * (high - low),
    /** The same in another order. */
    shuffled: <T>(items: readonly T[]): T[] =>
      items
        .map((item) => ({ item, place: next() }))
        .sort((a, b) => a.place - b.place)
        .map(({ item }) => item),
    pick: <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T,
    /** One of the keys, each as often as its weight says. */
    weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
      const entries = Object.entries(weights) as [K, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [key, weight] of entries) {
        left -= weight;
        if (left < 0) return key;
      }
      return entries[0]?.[0] as K;
    },
  };
}
