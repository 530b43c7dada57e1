import type { Delivery } from "../delivery/delivery.ts";
import { ADMISSION } from "../tuning/admission.ts";
import { DELIVERY } from "../tuning/delivery.ts";

type Bucket = { byPlace: Map<string, number>; needed: number };

/** How many requests fall due at an origin, per 10 ms and per 100 ms of the next two seconds. */
export class ConnectionForecast {
  readonly #buckets = new Map<number, Bucket>();
  readonly #spans = new Map<number, number>();

  /**
   * Notes a request that falls due. Returns how many connections its 10 ms need, at most `perPlace` for each account.
   */
  add({ sendAtMs, place }: Delivery, perPlace: number): number {
    const span = Math.floor(sendAtMs / ADMISSION.spanMs);
    this.#spans.set(span, (this.#spans.get(span) ?? 0) + 1);
    const at = Math.floor(sendAtMs / DELIVERY.instantMs);
    const bucket = this.#buckets.get(at) ?? { byPlace: new Map<string, number>(), needed: 0 };
    this.#buckets.set(at, bucket);
    const n = (bucket.byPlace.get(place) ?? 0) + 1;
    bucket.byPlace.set(place, n);
    if (n <= perPlace) bucket.needed++;
    return bucket.needed;
  }

  /** Whether few of the noted requests fall due in the same 10 ms as `atMs`. */
  hasFewAt(atMs: number): boolean {
    return (this.#buckets.get(Math.floor(atMs / DELIVERY.instantMs))?.needed ?? 0) <= ADMISSION.fewAtOneInstant;
  }

  /** How many of the noted requests are on the wire at `atMs`, if each takes `latencyMs`. */
  underWay(atMs: number, latencyMs: number): number {
    const spans = Math.min(latencyMs, ADMISSION.spanKeptMs) / ADMISSION.spanMs;
    const last = Math.floor(atMs / ADMISSION.spanMs);
    let n = 0;
    for (let ago = 0; ago < spans; ago++) n += (this.#spans.get(last - ago) ?? 0) * Math.min(spans - ago, 1);
    return Math.ceil(n);
  }

  /** Drops what fell due before `beforeMs`. */
  forget(beforeMs: number): void {
    const past = Math.floor(beforeMs / DELIVERY.instantMs);
    for (const at of this.#buckets.keys()) if (at < past) this.#buckets.delete(at);
    const pastSpan = Math.floor((beforeMs - ADMISSION.spanKeptMs) / ADMISSION.spanMs);
    for (const at of this.#spans.keys()) if (at < pastSpan) this.#spans.delete(at);
  }

  /** Whether nothing falls due soon. */
  isEmpty(): boolean {
    return this.#buckets.size === 0;
  }
}
