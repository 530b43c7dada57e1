import type { Delivery } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";
import type { Origins } from "./origins.ts";

/** How long deliveries take until their requests are prepared, by origin. */
export class Preparation {
  readonly #origins: Origins;
  readonly #clock: Time;

  constructor({ origins, clock }: { origins: Origins; clock: Time }) {
    this.#origins = origins;
    this.#clock = clock;
  }

  /** How long before its instant a delivery to the origin `key` should be enqueued, by what others took recently, ms. */
  aheadMs(key: string): number {
    return this.#origins.get(key)?.preparation.aheadMs(this.#clock.now()) ?? 0;
  }

  /** Records the preparation time of `delivery`, unless it waited for a slot: that says nothing about other lanes. */
  note({ origin, enqueuedAtMs, waitMs }: Delivery): void {
    if (enqueuedAtMs === null || waitMs > 0) return;
    const nowMs = this.#clock.now();
    this.#origins.originOf(origin).preparation.note(nowMs - enqueuedAtMs, nowMs);
  }
}
