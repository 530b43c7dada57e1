const RESTARTS_MAX = 5;
const WITHIN_MS = 60_000;
const FIRST_PAUSE_MS = 250;

/** Bounds the restarts of something that ends by itself: five a minute, each after twice the pause of the one before. */
export class Restarts {
  #atMs: number[] = [];

  /**
   * Counts a restart at `nowMs`, of any clock that never goes back. Returns how long to wait before it, ms; undefined when
   * there were five within the last minute.
   */
  next(nowMs: number): number | undefined {
    this.#atMs = this.#atMs.filter((atMs) => nowMs - atMs < WITHIN_MS);
    if (this.#atMs.length >= RESTARTS_MAX) return undefined;
    const pauseMs = FIRST_PAUSE_MS * 2 ** this.#atMs.length;
    this.#atMs.push(nowMs);
    return pauseMs;
  }
}

/** How a sentence names the bound. */
export const RESTARTS_BOUND = `${RESTARTS_MAX} restarts within a minute`;
