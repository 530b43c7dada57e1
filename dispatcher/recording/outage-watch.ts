/** Without an answer for this long the database was away: its clock alone is asked for five times a second. */
const OUTAGE_MS = 1_000;
/** After an outage every dispatcher gets so long to write the outcomes that it holds. */
const PAUSE_MS = 15_000;
/** Outages that follow each other do not hold recovery back for longer than this. */
const PAUSED_MAX_MS = 60_000;

/**
 * Decides whether recovery may trust that a lease which looks over is over. After an outage of the database it may not
 * for a while: the outcome may be held by a dispatcher that could not write it. Times are monotonic, ms.
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
