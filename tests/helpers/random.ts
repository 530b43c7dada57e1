export type Random = ReturnType<typeof createRandom>;

/**
 * A source of random numbers that are the same for the same seed. The generator is mulberry32 (public domain). Source:
 * https://gist.github.com/tommyettinger/46a874533244883189143505d203312c.
 */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    /** From 0 inclusive to 1 exclusive. */
    next,
    chance: (probability: number) => next() < probability,
    between: (low: number, high: number) => low + next() * (high - low),
    /** Returns the same items in a random order. */
    shuffled: <T>(items: readonly T[]): T[] =>
      items
        .map((item) => ({ item, place: next() }))
        .sort((a, b) => a.place - b.place)
        .map(({ item }) => item),
    pick: <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T,
    /** Returns one of the keys, each with the probability of its weight. */
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
