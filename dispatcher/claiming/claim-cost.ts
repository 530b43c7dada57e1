const STATEMENT_MAX_MS = 250;
/** The cost of a row is learned from batches of at least this size, the cost of a statement from smaller ones. */
const LARGE_BATCH = 50;
const LEARNING_RATE = 0.1;
/** … faster that rows have become dear: what is on time waits behind a statement with too many. */
const ROW_RISE_RATE = 0.3;
/** A claim is made this much earlier than it needs to be, ms. */
const MARGIN_MS = 5;

/** How long claiming takes, learned from the claims that were made. */
export class ClaimCost {
  #rowMs = 0.03;
  #statementMs = 3;

  /** A claim of `rows` took `ms`. */
  learn(ms: number, rows: number): void {
    const takenMs = Math.min(ms, STATEMENT_MAX_MS);
    if (rows < LARGE_BATCH) this.#statementMs += (takenMs - this.#statementMs) * LEARNING_RATE;
    else this.#learnRow(takenMs / rows);
  }

  #learnRow(ms: number): void {
    this.#rowMs += (ms - this.#rowMs) * (ms > this.#rowMs ? ROW_RISE_RATE : LEARNING_RATE);
  }

  /** How many rows one statement claims within `ms`. */
  rowsWithin(ms: number): number {
    return Math.floor(ms / this.#rowMs);
  }

  /** How long before its instant one of `rows` that leave together should be claimed, ms. */
  leadMs(rows: number): number {
    return MARGIN_MS + 2 * this.#statementMs + 1.5 * rows * this.#rowMs;
  }
}
