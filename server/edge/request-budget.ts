/**
 * Token buckets in memory, one for each key: `burst` requests at once, and `perMinute` in the long run. Remembers the
 * 50,000 keys that were used last; one that was forgotten starts anew.
 */
export class RequestBudget {
  readonly #burst: number;
  readonly #perMs: number;
  readonly #buckets = new Map<string, { left: number; atMs: number }>();

  constructor({ burst, perMinute }: { burst: number; perMinute: number }) {
    this.#burst = burst;
    this.#perMs = perMinute / 60_000;
  }

  /**
   * Takes `cost` requests (1 at most) from the budget of `key`; returns 0, or in how many ms there will be as many. `nowMs` is
   * monotonic.
   */
  take(key: string, nowMs: number, cost = 1): number {
    const bucket = this.#buckets.get(key) ?? { left: this.#burst, atMs: nowMs };
    const left = Math.min(this.#burst, bucket.left + (nowMs - bucket.atMs) * this.#perMs);
    // Deleting and adding again keeps the map in order of use.
    this.#buckets.delete(key);
    if (this.#buckets.size >= KEYS_MAX) this.#buckets.delete(this.#buckets.keys().next().value as string);
    this.#buckets.set(key, { left: left < cost ? left : left - cost, atMs: nowMs });
    return left < cost ? (cost - left) / this.#perMs : 0;
  }
}

const KEYS_MAX = 50_000;
