import { STATEMENTS } from "../tuning/statements.ts";

/**
 * No transaction commits a schedule later than this after it is due, but for what a former owner puts back, ms. Fixed by the timeouts
 * of sessions, which are 5 s at most.
 */
export const LATE_COMMIT_MS = 60_000;

/**
 * For this long after a lane woke, what a former owner puts back may become open, whenever it was due, ms. Fixed by the same timeouts
 * and the lease of a claim.
 */
const SETTLING_MS = 60_000;

/**
 * From which due time on a lane is reconciled with the table. For a minute after the lane woke, and then every ten minutes, that is
 * everything; in between it is what the last reconciliation did not settle.
 */
export class Reconciled {
  #fromMs: number;
  readonly #settlesAtMs: number;
  #fullAtMs: number;

  /** Of a lane that woke at `nowMs` (monotonic) and has nothing open before `dueAtMs`, epoch ms. */
  constructor(dueAtMs: number, nowMs: number) {
    this.#fromMs = dueAtMs - LATE_COMMIT_MS;
    this.#settlesAtMs = nowMs + SETTLING_MS;
    this.#fullAtMs = this.#settlesAtMs;
  }

  /** Something of the lane is due at `dueAtMs`, before everything that was known to be open. */
  beginAt(dueAtMs: number): void {
    this.#fromMs = dueAtMs - LATE_COMMIT_MS;
  }

  /** Where a reconciliation that begins at `atMs` (monotonic) begins, epoch ms, in a lane with nothing open before `beginningMs`. */
  fromMsAt(atMs: number, beginningMs: number): number {
    return atMs >= this.#fullAtMs ? beginningMs - LATE_COMMIT_MS : this.#fromMs;
  }

  /** A reconciliation that began at `atMs` (monotonic) found the lane as it should be: the next one begins at `fromMs`. */
  settle(fromMs: number, atMs: number): void {
    if (atMs < this.#settlesAtMs) return;
    this.#fromMs = Math.max(this.#fromMs, fromMs);
    if (atMs >= this.#fullAtMs) this.#fullAtMs = atMs + STATEMENTS.fullEveryMs;
  }
}
