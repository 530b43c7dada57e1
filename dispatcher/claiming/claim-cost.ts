const STATEMENT_MAX_MS = 250;
/** A statement with at least this many rows updates the cost of a row, a smaller one the fixed cost of a statement. */
const LARGE_BATCH = 50;
const LEARNING_RATE = 0.1;
/** Rising row costs are learned faster: deliveries that are on time wait behind a statement with too many rows. */
const ROW_RISE_RATE = 0.3;
/** Claims are made this much earlier than necessary, ms. */
const MARGIN_MS = 5;

/** How long claiming takes, learned from past claims. */
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

  /** How many rows a statement can claim within `ms`. */
  rowsWithin(ms: number): number {
    return Math.floor(ms / this.#rowMs);
  }

  /** How long before its instant a delivery should be claimed when `rows` leave together, ms. */
  leadMs(rows: number): number {
    return MARGIN_MS + 2 * this.#statementMs + 1.5 * rows * this.#rowMs;
  }
}
