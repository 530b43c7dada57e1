/** No answer for this long means that the database was away, ms. Fixed by its clock, which is read five times a second. */
const OUTAGE_MS = 1_000;
/** After an outage, recovery waits this long, so that every dispatcher can write the outcomes that it holds, ms. Guards outcomes. */
const PAUSE_MS = 15_000;
/** The longest that repeated outages delay recovery, ms. Guards against a database that never stays. */
const PAUSED_MAX_MS = 60_000;

/**
 * Decides whether recovery may assume that an expired lease has no outcome. For a while after an outage of the database
 * it may not: another dispatcher may hold the outcome because it could not write it. Times are monotonic, ms.
 */
export class OutageWatch {
  #answeredAtMs: number;
  #backAtMs = Number.NEGATIVE_INFINITY;
  #pausedSinceMs: number | null = null;

  constructor(nowMs: number) {
    this.#answeredAtMs = nowMs;
  }

  /** A call to the database was answered. */
  answered(nowMs: number): void {
    if (nowMs - this.#answeredAtMs > OUTAGE_MS) this.#backAtMs = nowMs;
    this.#answeredAtMs = nowMs;
  }

  /** Whether recovery may run now. */
  mayRecover(nowMs: number): boolean {
    const isPaused = nowMs - this.#answeredAtMs > OUTAGE_MS || nowMs - this.#backAtMs <= PAUSE_MS;
    if (!isPaused) this.#pausedSinceMs = null;
    else this.#pausedSinceMs ??= nowMs;
    return !isPaused || nowMs - (this.#pausedSinceMs as number) > PAUSED_MAX_MS;
  }
}
