import { preciseNow } from "#scripts/lab/clock.ts";

/** This often a round ends at least, while nothing holds up the event loop, ms. */
const MARK_EVERY_MS = 5;

/**
 * Bounds the time at which data that this process reads now can have become readable.
 *
 * The order of reads is not the order of arrivals when a process is busy. In each round of its event loop, epoll names the
 * connections that had data in the round before ahead of those that became readable since then (level-triggered entries
 * stay in the list of ready connections, epoll(7)). So what a round reads may have arrived at any time since the poll of
 * the round before, which read all there was.
 */
export class ReadOrder {
  /** Before the last poll, and before the one ahead of it, epoch ms. */
  #last = preciseNow();
  #former = this.#last;
  #isMarking = false;
  readonly #timer = setInterval(() => this.#markRound(), MARK_EVERY_MS);

  /**
   * Data that a callback reads now became readable after this, epoch ms. To be called in that callback.
   */
  readableAfterMs(): number {
    this.#markRound();
    return this.#former;
  }

  stop() {
    clearInterval(this.#timer);
  }

  // An immediate runs when all that a poll named was read, and before the next poll. There is one for a round, so that
  // a poll lies between two marks.
  #markRound() {
    if (this.#isMarking) return;
    this.#isMarking = true;
    setImmediate(() => {
      this.#isMarking = false;
      this.#former = this.#last;
      this.#last = preciseNow();
    });
  }
}
