/** Bounds memory: what has not failed again within this time has ended, ms, and so many are remembered. */
const ENDS_AFTER_MS = 120_000;
const KEPT_MAX = 10_000;

/** What fails again and again, and since when, by key. */
export class Streaks {
  /** Since when, and when last. The one that has not failed for longest is first. */
  readonly #all = new Map<string, { sinceMs: number; lastMs: number }>();
  /** The key that failed last, and the last one before it. */
  #latest: string | undefined;
  #other: string | undefined;

  /** `key` has failed at `nowMs`, in what began at `startedAtMs`. Returns since when it fails. */
  note(key: string, startedAtMs: number, nowMs: number): number {
    const before = this.#all.get(key);
    const sinceMs = before && nowMs - before.lastMs < ENDS_AFTER_MS ? before.sinceMs : startedAtMs;
    this.#all.delete(key);
    this.#all.set(key, { sinceMs, lastMs: nowMs });
    for (const [first, { lastMs }] of this.#all) {
      if (this.#all.size <= KEPT_MAX && nowMs - lastMs < ENDS_AFTER_MS) break;
      this.#all.delete(first);
    }
    if (key !== this.#latest) this.#other = this.#latest;
    this.#latest = key;
    return sinceMs;
  }

  /** `key` fails no more. Returns whether it did. */
  end(key: string): boolean {
    return this.#all.delete(key);
  }

  /** How many fail. */
  get size(): number {
    return this.#all.size;
  }

  /** Whether another one than `key` fails, and has failed after `sinceMs`. */
  hasOther(key: string, sinceMs: number, nowMs: number): boolean {
    const other = this.#all.get((key === this.#latest ? this.#other : this.#latest) ?? key);
    return (
      other !== undefined && other !== this.#all.get(key) && other.lastMs > Math.max(sinceMs, nowMs - ENDS_AFTER_MS)
    );
  }
}
