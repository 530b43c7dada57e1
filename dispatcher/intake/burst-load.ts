const BUCKET_MS = 25;

/** Counts the deliveries that leave in each step of 25 ms, to know the size of a burst. */
export class BurstLoad {
  readonly #rows = new Map<number, number>();

  /** Counts a delivery that leaves at `sendAtMs`. */
  add(sendAtMs: number): void {
    const bucket = bucketOf(sendAtMs);
    this.#rows.set(bucket, (this.#rows.get(bucket) ?? 0) + 1);
  }

  /**
   * Returns a function that tells how many deliveries leave at most `spanMs` before or after an instant, rounded to whole
   * steps. It remembers its results, so use it for one round.
   */
  around(spanMs: number): (instantMs: number) => number {
    const known = new Map<number, number>();
    return (instantMs) => {
      const step = bucketOf(instantMs);
      let rows = known.get(step);
      if (rows !== undefined) return rows;
      rows = 0;
      const last = bucketOf(instantMs + spanMs);
      for (let bucket = bucketOf(instantMs - spanMs); bucket <= last; bucket++) rows += this.#rows.get(bucket) ?? 0;
      known.set(step, rows);
      return rows;
    };
  }

  /** How many deliveries leave in the fullest step of this span. */
  fullest(fromMs: number, untilMs: number): number {
    let most = 0;
    for (let bucket = bucketOf(fromMs); bucket <= bucketOf(untilMs); bucket++) {
      most = Math.max(most, this.#rows.get(bucket) ?? 0);
    }
    return most;
  }

  forget(beforeMs: number): void {
    for (const bucket of this.#rows.keys()) if (bucket < bucketOf(beforeMs)) this.#rows.delete(bucket);
  }
}

const bucketOf = (ms: number): number => Math.floor(ms / BUCKET_MS);
