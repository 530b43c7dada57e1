import { RECORDING } from "../tuning/recording.ts";
import { STATEMENTS } from "../tuning/statements.ts";

/** Outcomes that could not be written are tried again after this, ms. Guards a database that is away. */
const FAILING_MS = 500;

/** The outcomes that wait to be written. */
export interface Outcomes {
  waiting(): number;
  isFull(): boolean;
  isFailing(): boolean;
  flush(): void;
}

/**
 * Decides when outcomes are written: 40 ms after the first one, so that many go in one statement; 100 ms when they are
 * few; at once when a statement is full; every half second while the database is away. Due requests go first until none
 * is behind: once for at most half a second, and only while few outcomes wait. Outcomes that are not written are
 * delivered again after a crash.
 */
export class FlushTimer {
  readonly #outcomes: Outcomes;
  readonly #sends: { isBehind(): boolean };
  readonly #monotonic: () => number;
  #timer: NodeJS.Timeout | undefined;
  /** Since when due requests have been waiting to leave without a pause, as far as was checked. */
  #behindSinceMs = Number.POSITIVE_INFINITY;

  constructor(deps: { outcomes: Outcomes; sends: { isBehind(): boolean }; monotonic: () => number }) {
    this.#outcomes = deps.outcomes;
    this.#sends = deps.sends;
    this.#monotonic = deps.monotonic;
  }

  /** Call it when outcomes wait or another statement can be started. */
  soon(): void {
    if (this.#outcomes.waiting() === 0) return;
    if (this.#outcomes.isFull() && !this.#givesWay()) this.#flush();
    else this.#timer ??= setTimeout(this.#onTimer, this.#outcomes.isFailing() ? FAILING_MS : RECORDING.flushAfterMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  readonly #onTimer = (): void => {
    const isEarly = this.#outcomes.waiting() < STATEMENTS.fewRows && !this.#outcomes.isFailing();
    if (isEarly) this.#timer = setTimeout(this.#onEnd, RECORDING.flushFewAfterMs - RECORDING.flushAfterMs);
    else this.#onEnd();
  };

  readonly #onEnd = (): void => {
    this.#timer = undefined;
    if (this.#givesWay()) this.soon();
    else this.#flush();
  };

  #flush(): void {
    this.#outcomes.flush();
    this.soon();
  }

  #givesWay(): boolean {
    if (!this.#sends.isBehind()) {
      this.#behindSinceMs = Number.POSITIVE_INFINITY;
      return false;
    }
    const now = this.#monotonic();
    this.#behindSinceMs = Math.min(this.#behindSinceMs, now);
    return now - this.#behindSinceMs < RECORDING.givesWayMs && this.#outcomes.waiting() < RECORDING.givesWayRows;
  }
}
