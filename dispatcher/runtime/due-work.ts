import type { Clock } from "./clock.ts";
import { Ticker } from "./ticker.ts";

/** A stage that does something at instants. */
export interface DueStage {
  /** Does what is due now; returns when to call it again, by the database's clock, ms. Infinity: not by itself. */
  runDue(): number;
}

type DueClock = Pick<Clock, "isSet" | "monotonicAt">;

/** How a stage asks for its turn. */
export type Alarm = Pick<DueWork, "at" | "run">;

/** Runs the stages that work at instants, at the instants they ask for, on one ticker for the whole process. */
export class DueWork {
  readonly #clock: DueClock;
  readonly #ticker: Ticker;
  #stages: readonly DueStage[] = [];

  constructor(clock: DueClock) {
    this.#clock = clock;
    this.#ticker = new Ticker(() => this.run());
  }

  /** Names the stages, in the order in which they run. */
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

  /** How many instants are noted besides the next ones. */
  instants(): number {
    return this.#ticker.instants();
  }

  close(): Promise<void> {
    return this.#ticker.close();
  }
}
