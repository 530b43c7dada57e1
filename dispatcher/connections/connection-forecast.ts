import type { Delivery } from "../delivery/delivery.ts";

const BUCKET_MS = 10;

type Bucket = { byPlace: Map<string, number>; needed: number };

/** How many connections an origin will need at once, per 10 ms of the next two seconds. */
export class ConnectionForecast {
  readonly #buckets = new Map<number, Bucket>();

  /** Notes that a request falls due; returns how many connections its 10 ms need, `perPlace` for each account at most. */
  add({ sendAtMs, place }: Delivery, perPlace: number): number {
    const at = Math.floor(sendAtMs / BUCKET_MS);
    const bucket = this.#buckets.get(at) ?? { byPlace: new Map<string, number>(), needed: 0 };
    this.#buckets.set(at, bucket);
    const n = (bucket.byPlace.get(place) ?? 0) + 1;
    bucket.byPlace.set(place, n);
    if (n <= perPlace) bucket.needed++;
    return bucket.needed;
  }

  forget(beforeMs: number): void {
    const past = Math.floor(beforeMs / BUCKET_MS);
    for (const at of this.#buckets.keys()) if (at < past) this.#buckets.delete(at);
  }

  isEmpty(): boolean {
    return this.#buckets.size === 0;
  }
}
