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
  readonly #clock: Pick<Time, "now">;
  #ms = 0;

  constructor(clock: Pick<Time, "now">) {
    this.#clock = clock;
  }

  /** When a request that is to leave at `sendAtMs` is begun. */
  beginAtMs(sendAtMs: number): number {
    return sendAtMs - this.#ms;
  }

  /** The first of the requests that were begun together has reached its write. */
  adapt(sendAtMs: number): void {
    const change = this.#clock.now() < sendAtMs ? -LESS_MS : MORE_MS;
    this.#ms = Math.min(Math.max(this.#ms + change, 0), LEAD_MAX_MS);
  }

  /** Busy-waits, for a part of a millisecond, until `sendAtMs` has come; says whether it has. */
  hold(sendAtMs: number): boolean {
    let aheadMs = sendAtMs - this.#clock.now();
    if (aheadMs > LEAD_MAX_MS) return false;
    while (aheadMs > 0) aheadMs = sendAtMs - this.#clock.now();
    return true;
  }
}
