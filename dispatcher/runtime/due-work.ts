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

/** Runs the stages at the instants that they ask for, with one ticker for the whole process. */
export class DueWork {
  readonly #clock: DueClock;
  readonly #ticker: Ticker;
  #stages: readonly DueStage[] = [];

  constructor(clock: DueClock) {
    this.#clock = clock;
    this.#ticker = new Ticker(() => this.run());
  }

  /** Sets the stages, in the order in which they run. */
  setStages(stages: readonly DueStage[]): void {
    this.#stages = stages;
  }

  /** Runs every stage now. */
  run(): void {
    if (!this.#clock.isSet()) return;
    let next = Number.POSITIVE_INFINITY;
    for (const stage of this.#stages) next = Math.min(next, stage.runDue());
    if (next < Number.POSITIVE_INFINITY) this.at(next);
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
}
