import { setImmediate as nextTurn } from "node:timers/promises";

/** How long one request may work before others get their turn, ms. */
const TURN_MS = 10;

/** Cuts long work into turns of the event loop, so that one request does not delay all others. */
export class ShortTurns {
  #startedMs = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#startedMs >= TURN_MS;
  }

  /** Lets all others run first. */
  async next(): Promise<void> {
    await nextTurn();
    this.#startedMs = performance.now();
  }
}
