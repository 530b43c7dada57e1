import type { Delivery } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";

/** The longest that a request is begun before its instant and then held, ms. */
const LEAD_MAX_MS = 0.5;
/** Smaller differences between the database's clock and the monotonic clock are ignored, ms. */
export const ADJUSTED_MS = 0.25;
const LESS_MS = 0.004;
const MORE_MS = 0.002;

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
    const change = this.#clock.now() < leaveAtMs ? -LESS_MS : MORE_MS;
    this.#ms = Math.min(Math.max(this.#ms + change, 0), LEAD_MAX_MS);
  }

  /**
   * Busy-waits, for less than a millisecond, until the delivery may leave and its slot is free. Returns false when that
   * is too far ahead.
   */
  hold({ leaveAtMs, slotFromMs }: Pick<Delivery, "leaveAtMs" | "slotFromMs">): boolean {
    const clock = this.#clock;
    const aheadMs = () => Math.max(leaveAtMs - clock.now(), slotFromMs - clock.monotonic());
    if (aheadMs() > LEAD_MAX_MS + ADJUSTED_MS) return false;
    while (aheadMs() > 0);
    return true;
  }
}
