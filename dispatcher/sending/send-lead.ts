import type { Delivery } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";

/** A request is begun at most this long before its instant, and then held until it comes, ms. */
const LEAD_MAX_MS = 0.5;
const LESS_MS = 0.004;
const MORE_MS = 0.002;

/**
 * How long before its instant a request is begun: what passes between waking up and the write, as it was lately. The
 * lead is adjusted so that about two thirds of requests reach the socket just after their instant; then few busy-wait.
 */
export class SendLead {
  readonly #clock: Pick<Time, "now" | "monotonic">;
  #ms = 0;

  constructor(clock: Pick<Time, "now" | "monotonic">) {
    this.#clock = clock;
  }

  /** When a request that is to leave at `leaveAtMs` is begun. */
  beginAtMs(leaveAtMs: number): number {
    return leaveAtMs - this.#ms;
  }

  /** The first of the requests that were begun together has reached its write. */
  adapt(leaveAtMs: number): void {
    const change = this.#clock.now() < leaveAtMs ? -LESS_MS : MORE_MS;
    this.#ms = Math.min(Math.max(this.#ms + change, 0), LEAD_MAX_MS);
  }

  /** Busy-waits, for a part of a millisecond, until the delivery may leave and has its slot; says whether it does. */
  hold({ leaveAtMs, slotFromMs }: Pick<Delivery, "leaveAtMs" | "slotFromMs">): boolean {
    const clock = this.#clock;
    const aheadMs = () => Math.max(leaveAtMs - clock.now(), slotFromMs - clock.monotonic());
    if (aheadMs() > LEAD_MAX_MS) return false;
    while (aheadMs() > 0);
    return true;
  }
}
