const BUCKET_MS = 25;

/** Counts the deliveries that leave in each step of 25 ms, to know the size of a burst. */
export class BurstLoad {
  readonly #rows = new Map<number, number>();

  /** Counts a delivery that leaves at `sendAtMs`. */
  add(sendAtMs: number): void {
    const bucket = bucketOf(sendAtMs);
    this.#rows.set(bucket, (this.#rows.get(bucket) ?? 0) + 1);
  }

  /** How many deliveries leave in this span, rounded to whole steps. */
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
