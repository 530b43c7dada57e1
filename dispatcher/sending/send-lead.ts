import type { Delivery } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";
import { SENDING } from "../tuning/sending.ts";

/** Guards against a clock that is adjusted: smaller differences between it and the monotonic clock are ignored, ms. */
export const ADJUSTED_MS = 0.25;

/**
 * How long before its instant a request is begun: the recent time between waking up and the write. The lead is adjusted
 * so that about two thirds of requests reach the socket just after their instant; then few have to busy-wait.
 */
export class SendLead {
  readonly #clock: Pick<Time, "now" | "monotonic">;
  #ms = 0;

  constructor(clock: Pick<Time, "now" | "monotonic">) {
    this.#clock = clock;
  }

  /** When to begin a request that is to leave at `leaveAtMs`. */
  beginAtMs(leaveAtMs: number): number {
    return leaveAtMs - this.#ms;
  }

  /** Adjusts the lead when the first of the requests that were begun together reaches its write. */
  adapt(leaveAtMs: number): void {
    const change = this.#clock.now() < leaveAtMs ? -SENDING.leadFallMs : SENDING.leadRiseMs;
    this.#ms = Math.min(Math.max(this.#ms + change, 0), SENDING.leadMaxMs);
  }

  /**
   * Busy-waits, for less than a millisecond, until the delivery may leave and its slot is free. Returns false when that
   * is too far ahead.
   */
  hold({ leaveAtMs, slotFromMs }: Pick<Delivery, "leaveAtMs" | "slotFromMs">): boolean {
    const clock = this.#clock;
    const aheadMs = () => Math.max(leaveAtMs - clock.now(), slotFromMs - clock.monotonic());
    if (aheadMs() > SENDING.leadMaxMs + ADJUSTED_MS) return false;
    while (aheadMs() > 0);
    return true;
  }
}
