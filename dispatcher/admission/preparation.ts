import type { Delivery } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";
import type { WaitersByOrigin } from "./waiters.ts";

/** How long deliveries take until their requests are prepared, by origin. */
export class Preparation {
  readonly #waiters: WaitersByOrigin;
  readonly #clock: Time;

  constructor({ waiters, clock }: { waiters: WaitersByOrigin; clock: Time }) {
    this.#waiters = waiters;
    this.#clock = clock;
  }

  /** How long before its instant a delivery to the origin `key` should be enqueued, by what others took recently, ms. */
  aheadMs(key: string): number {
    return this.#waiters.find(key)?.preparation.aheadMs(this.#clock.now()) ?? 0;
  }

  /** Records the preparation time of `delivery`, unless it waited for a slot: that says nothing about other lanes. */
  note({ origin, enqueuedAtMs, waitMs }: Delivery): void {
    if (enqueuedAtMs === null || waitMs > 0) return;
    const nowMs = this.#clock.now();
    this.#waiters.at(origin).preparation.note(nowMs - enqueuedAtMs, nowMs);
  }
}
