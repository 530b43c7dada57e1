import type { Delivery } from "../delivery/delivery.ts";
import { CLAIMING } from "../tuning/claiming.ts";

/** A claim statement under way. Statements are numbered in the order in which they were sent. */
export type Statement = {
  readonly n: number;
  readonly batch: readonly Delivery[];
  /** Resolves with true once all its deliveries have moved on, with false when its answer was lost. */
  settled: Promise<boolean>;
};

/**
 * Keeps the order within a lane while several statements are under way. A statement may be answered before an earlier
 * one that has overdue deliveries of the same lane. Then its own deliveries of that lane wait for the earlier one.
 */
export class LaneOrder {
  /** The statements that have overdue deliveries of a lane, in the order in which they were sent. */
  readonly #byLane = new Map<string, Statement[]>();

  /** Whether another statement may have deliveries of this lane. */
  readonly mayGo = ({ lane }: Delivery): boolean =>
    (this.#byLane.get(lane)?.length ?? 0) < CLAIMING.statementsPerLaneMax;

  /** Registers a statement that is being sent; `overdue` are the overdue deliveries in its batch. */
  begin(statement: Statement, overdue: readonly Delivery[]): void {
    for (const lane of new Set(overdue.map((delivery) => delivery.lane))) {
      const statements = this.#byLane.get(lane);
      if (statements) statements.push(statement);
      else this.#byLane.set(lane, [statement]);
    }
  }

  /** Unregisters a statement whose deliveries have all moved on. */
  end(statement: Statement): void {
    for (const lane of new Set(statement.batch.map((delivery) => delivery.lane))) {
      const others = this.#byLane.get(lane)?.filter((one) => one !== statement);
      if (others?.length === 0) this.#byLane.delete(lane);
      else if (others) this.#byLane.set(lane, others);
    }
  }

  /**
   * Groups the deliveries of `statement` by the earlier statement that they wait for; null for those that need not
   * wait.
   */
  byEarlier(statement: Statement): Map<Statement | null, Delivery[]> {
    return Map.groupBy(
      statement.batch,
      ({ lane }) => this.#byLane.get(lane)?.findLast(({ n }) => n < statement.n) ?? null,
    );
  }
}
