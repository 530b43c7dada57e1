import { CLAIM_AHEAD_MAX_MS } from "#domain/timing.ts";
import { CLAIMING } from "../tuning/claiming.ts";
import { STATEMENTS } from "../tuning/statements.ts";

/** What is learned from one statement at most, ms. Guards against a database that stood still. */
const STATEMENT_MAX_MS = 250;

/** How long claiming takes, learned from past claims. */
export class ClaimCost {
  #rowMs = 0.03;
  #statementMs = 3;

  /** A claim of `rows` took `ms`. */
  learn(ms: number, rows: number): void {
    const takenMs = Math.min(ms, STATEMENT_MAX_MS);
    if (rows < STATEMENTS.fewRows) this.#statementMs += (takenMs - this.#statementMs) * CLAIMING.learningRate;
    else this.#learnRow(takenMs / rows);
  }

  #learnRow(ms: number): void {
    this.#rowMs += (ms - this.#rowMs) * (ms > this.#rowMs ? CLAIMING.rowRiseRate : CLAIMING.learningRate);
  }

  /** How many rows a statement can claim within `ms`. */
  rowsWithin(ms: number): number {
    return Math.floor(ms / this.#rowMs);
  }

  /** How long before its instant a delivery should be claimed when `rows` leave together, ms. */
  leadMs(rows: number): number {
    return CLAIMING.marginMs + 2 * this.#statementMs + 1.5 * rows * this.#rowMs;
  }

  /**
   * How long the answer to a claim of `rows` may take before the claim is repeated on another connection, ms. At least as long as a
   * claim may be made ahead, which is six times what a large one takes.
   */
  repeatedAfterMs(rows: number): number {
    return Math.max(CLAIM_AHEAD_MAX_MS, CLAIMING.repeatedAfterLeads * this.leadMs(rows));
  }
}
