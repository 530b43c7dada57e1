import type { Registry } from "prom-client";
import { LEFT_OUT_REASONS, type LeftOut } from "#domain/recurrence-step.ts";
import { addCounter, addCounterBy, addGauge } from "./collectors.ts";

/** The metrics of recurrences. */
export class RecurrenceMetrics {
  #made = 0;
  #behindS = 0;
  readonly #leftOut = Object.fromEntries(LEFT_OUT_REASONS.map((reason) => [reason, 0])) as Record<
    LeftOut["reason"],
    number
  >;

  constructor(registry: Registry) {
    const leftOut = { label: "reason", counts: this.#leftOut };
    addCounter(registry, "occurrences_made", "Schedules that recurrences have made.", () => this.#made);
    addCounterBy(
      registry,
      "occurrences_left_out",
      "Instants of recurrences that are not sent, by the reason.",
      leftOut,
    );
    addGauge(
      registry,
      "recurrences_behind_seconds",
      "For how long a recurrence has waited for its next occurrences, which are made at least 90 s ahead.",
      () => this.#behindS,
    );
  }

  /** The recurrence that has waited for longest to be stepped has waited for so long, s. */
  behind(seconds: number): void {
    this.#behindS = seconds;
  }

  /** Recurrences were stepped: so many occurrences were made, and these instants left out. */
  stepped(steps: readonly { made: number; leftOut: readonly LeftOut[] }[]): void {
    for (const { made, leftOut } of steps) {
      this.#made += made;
      for (const { count, reason } of leftOut) this.#leftOut[reason] += count ?? 1;
    }
  }
}
