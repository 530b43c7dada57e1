/** A gap longer than this between two looks at the clock means that the machine slept or its clock was set, ms. */
const JUMP_MS = 15_000;

/**
 * Finds out that this process did not run for a while, as in a machine that sleeps: the connection may be dead without a
 * sign of it. Look more often than every 15 s.
 */
export class ClockWatch {
  #lastMs: number;

  constructor(nowMs: number) {
    this.#lastMs = nowMs;
  }

  /** By how much the clock jumped since the last look, in ms; undefined when it did not. Negative: it was set back. */
  look(nowMs: number): number | undefined {
    const passedMs = nowMs - this.#lastMs;
    this.#lastMs = nowMs;
    return Math.abs(passedMs) > JUMP_MS ? passedMs : undefined;
  }
}
