import { ADMISSION } from "../tuning/admission.ts";

/**
 * Preparation time of deliveries to an origin: from when they are enqueued, or may be claimed if that is later, until
 * their requests are prepared. It is the longest of the last 0.5 to 1 s. It depends on the origin, because deliveries
 * may wait for its connections.
 */
export class PreparationTime {
  #sinceMs = Number.NEGATIVE_INFINITY;
  #longestMs = 0;
  #longestBeforeMs = 0;

  /** A request was prepared `ms` after its delivery was enqueued. */
  note(ms: number, nowMs: number): void {
    this.#age(nowMs);
    this.#longestMs = Math.max(this.#longestMs, ms);
  }

  /** How long before its instant a delivery should be enqueued, ms; 0 when nothing was prepared recently. */
  aheadMs(nowMs: number): number {
    this.#age(nowMs);
    return ADMISSION.preparationFactor * Math.max(this.#longestMs, this.#longestBeforeMs);
  }

  #age(nowMs: number): void {
    // The clock may have been set back.
    const forMs = Math.abs(nowMs - this.#sinceMs);
    if (forMs < ADMISSION.preparationPeriodMs) return;
    this.#longestBeforeMs = forMs < 2 * ADMISSION.preparationPeriodMs ? this.#longestMs : 0;
    this.#longestMs = 0;
    this.#sinceMs = nowMs;
  }
}
