/** Fixed by Node.js: the shortest time of a timer, ms. */
const SOON_MS = 1;
/** Guards against a database that refuses at once: a round begins this long after one that failed, or later, ms. */
const FAILED_MS = 250;

/**
 * Runs `round` repeatedly: `periodMs` after the last one ended, earlier when the round called `within`, or at once when
 * `soon` is called, but not shortly after one that failed. Rounds never overlap.
 */
export class Loop {
  readonly #periodMs: number;
  readonly #round: () => Promise<unknown>;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #state: "new" | "waiting" | "running" | "stopped" = "new";
  #isWanted = false;
  /** When the next round begins at the latest, ms after the end of this one. */
  #withinMs = Number.POSITIVE_INFINITY;
  /** When the next one may begin, ms of `performance.now()`. */
  #notBeforeMs = Number.NEGATIVE_INFINITY;

  /** `onError` gets the error of a round that throws; the loop continues. */
  constructor(periodMs: number, round: () => Promise<unknown>, onError: (error: unknown) => void) {
    this.#periodMs = periodMs;
    this.#round = round;
    this.#onError = onError;
  }

  /** Starts the first round. */
  start(): void {
    if (this.#state === "new") this.#schedule(0);
  }

  /** Asks for a round now, or right after the running one. */
  soon(): void {
    // A second call must not delay the round further.
    if (this.#isWanted || this.#state === "new" || this.#state === "stopped") return;
    this.#isWanted = true;
    if (this.#state === "waiting") this.#schedule(SOON_MS);
  }

  /** Has the next round begin at most `ms` after the end of the running one. A round calls it. */
  within(ms: number): void {
    this.#withinMs = Math.min(this.#withinMs, ms);
  }

  stop(): void {
    this.#state = "stopped";
    clearTimeout(this.#timer);
  }

  #schedule(delayMs: number): void {
    this.#state = "waiting";
    clearTimeout(this.#timer);
    const leftMs = this.#notBeforeMs - performance.now();
    this.#timer = setTimeout(() => void this.#run(), Math.max(delayMs, leftMs));
  }

  async #run(): Promise<void> {
    this.#state = "running";
    this.#isWanted = false;
    this.#withinMs = Number.POSITIVE_INFINITY;
    try {
      await this.#round();
    } catch (error) {
      this.#notBeforeMs = performance.now() + FAILED_MS;
      this.#onError(error);
    }
    if (this.#isStopped()) return;
    const periodMs = this.#periodMs * (0.95 + Math.random() * 0.1);
    this.#schedule(this.#isWanted ? 2 * SOON_MS : Math.min(periodMs, this.#withinMs));
  }

  #isStopped(): boolean {
    return this.#state === "stopped";
  }
}

/** Runs `work` until it succeeds, once a second. `onError` gets each error; it ends the retries by throwing. */
export async function untilAnswered(work: () => Promise<unknown>, onError: (error: unknown) => void): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      onError(error);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}

/** Waits until `condition` holds, at most `deadlineMs`. Checks every 10 ms. */
export async function until(condition: () => boolean, deadlineMs: number): Promise<void> {
  const end = performance.now() + deadlineMs;
  while (!condition() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
}
