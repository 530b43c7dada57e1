import type { Clock } from "./clock.ts";
import { Ticker } from "./ticker.ts";

/** A stage that works at precise instants. */
export interface DueStage {
  /**
   * Does what is due now. Returns when to call it again, by the database's clock, ms; Infinity when nothing is planned.
   */
  runDue(): number;
}

type DueClock = Pick<Clock, "isSet" | "monotonicAt">;

/** How a stage asks to be run. */
export type Alarm = Pick<DueWork, "at" | "run">;

/**
 * Runs the stages at the instants that they ask for, with one ticker for the whole process. The first stage, which
 * sends, runs at once. The others run after the requests that it began were written.
 */
export class DueWork {
  readonly #clock: DueClock;
  readonly #ticker: Ticker;
  #first: DueStage | undefined;
  #others: readonly DueStage[] = [];
  #areOthersScheduled = false;

  constructor(clock: DueClock) {
    this.#clock = clock;
    this.#ticker = new Ticker(() => this.run());
  }

  /** Sets the stages, in the order in which they run. */
  setStages(first: DueStage, ...others: DueStage[]): void {
    this.#first = first;
    this.#others = others;
  }

  /** Runs the first stage now, and the others in the next check phase of the event loop. */
  run(): void {
    if (!this.#clock.isSet() || !this.#first) return;
    this.#wakeAt(this.#first.runDue());
    if (this.#areOthersScheduled) return;
    this.#areOthersScheduled = true;
    // Connections write in the check phase, too, in the order of their requests.
    setImmediate(() => {
      this.#areOthersScheduled = false;
      this.#wakeAt(this.#others.reduce((next, stage) => Math.min(next, stage.runDue()), Number.POSITIVE_INFINITY));
    });
  }

  /** Runs every stage at `instantMs`, by the database's clock. */
  at(instantMs: number): void {
    this.#ticker.wakeAt(this.#clock.monotonicAt(instantMs));
  }

  /** How many instants wait besides those that the ticker's thread knows. */
  instants(): number {
    return this.#ticker.instants();
  }

  close(): Promise<void> {
    return this.#ticker.close();
  }

  #wakeAt(nextMs: number): void {
    if (nextMs < Number.POSITIVE_INFINITY) this.at(nextMs);
  }
}
