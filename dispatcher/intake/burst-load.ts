const BUCKET_MS = 25;

/** How many deliveries leave when, in steps of 25 ms: how large a burst is. */
export class BurstLoad {
  readonly #rows = new Map<number, number>();

  /** Counts one that leaves at `sendAtMs`. */
  add(sendAtMs: number): void {
    const bucket = bucketOf(sendAtMs);
    this.#rows.set(bucket, (this.#rows.get(bucket) ?? 0) + 1);
  }

  /** How many leave in this span, in whole steps. */
  between(fromMs: number, untilMs: number): number {
    let rows = 0;
    for (let bucket = bucketOf(fromMs); bucket <= bucketOf(untilMs); bucket++) rows += this.#rows.get(bucket) ?? 0;
    return rows;
  }

  forget(beforeMs: number): void {
    for (const bucket of this.#rows.keys()) if (bucket < bucketOf(beforeMs)) this.#rows.delete(bucket);
  }
}

const bucketOf = (ms: number): number => Math.floor(ms / BUCKET_MS);
