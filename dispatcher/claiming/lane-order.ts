import type { Delivery } from "../delivery/delivery.ts";

/**
 * How many statements may be under way with deliveries of one lane that others wait for: the one that the database
 * executes, and one queued behind it.
 */
const STATEMENTS_PER_LANE_MAX = 2;
/**
 * Others of its lane wait for a delivery that is still being claimed this long after its instant, ms: half of what counts
 * as late, so that none passes a late one.
 */
const AWAITED_AFTER_MS = 50;

/** A claim statement under way. Statements are numbered in the order in which they were sent. */
export type Statement = {
  readonly n: number;
  readonly batch: readonly Delivery[];
  /** Resolves with true once all its deliveries have moved on, with false when its answer was lost. */
  settled: Promise<boolean>;
};

/** A statement with deliveries of a lane, and from when on others of the lane wait for the first of them, epoch ms. */
type Entry = { readonly statement: Statement; awaitedFromMs: number };

/**
 * Keeps the order within a lane while several statements are under way. A statement may be answered before an earlier
 * one, whose connection may even have stopped for seconds. A delivery waits for the earlier one if that has a delivery
 * of the same lane which should have been sent 50 ms before this one, or 50 ms ago.
 */
export class LaneOrder {
  /** The statements that have deliveries of a lane, in the order in which they were sent. */
  readonly #byLane = new Map<string, Entry[]>();

  /** Registers a statement that is being sent. */
  begin(statement: Statement): void {
    for (const { lane, sendAtMs } of statement.batch) {
      const entries = this.#byLane.get(lane);
      const last = entries?.at(-1);
      const fromMs = sendAtMs + AWAITED_AFTER_MS;
      if (last?.statement === statement) last.awaitedFromMs = Math.min(last.awaitedFromMs, fromMs);
      else if (entries) entries.push({ statement, awaitedFromMs: fromMs });
      else this.#byLane.set(lane, [{ statement, awaitedFromMs: fromMs }]);
    }
  }

  /** Unregisters a statement whose deliveries have all moved on. */
  end(statement: Statement): void {
    for (const lane of new Set(statement.batch.map((delivery) => delivery.lane))) {
      const others = this.#byLane.get(lane)?.filter((one) => one.statement !== statement);
      if (others?.length === 0) this.#byLane.delete(lane);
      else if (others) this.#byLane.set(lane, others);
    }
  }

  /** Whether another statement may have this delivery, which is in none yet, at `nowMs`. */
  mayGo({ lane, sendAtMs }: Delivery, nowMs: number): boolean {
    const entries = this.#byLane.get(lane);
    if (!entries || entries.length < STATEMENTS_PER_LANE_MAX) return true;
    const fromMs = Math.max(sendAtMs, nowMs);
    return entries.filter((one) => one.awaitedFromMs <= fromMs).length < STATEMENTS_PER_LANE_MAX;
  }

  /**
   * Groups the deliveries of `statement`, which was answered at `nowMs`, by the earlier statement that they wait for;
   * null for those that need not wait.
   */
  byEarlier(statement: Statement, nowMs: number): Map<Statement | null, Delivery[]> {
    return Map.groupBy(statement.batch, ({ lane, sendAtMs }) => {
      const fromMs = Math.max(sendAtMs, nowMs);
      const earlier = this.#byLane
        .get(lane)
        ?.findLast((one) => one.statement.n < statement.n && one.awaitedFromMs <= fromMs);
      return earlier?.statement ?? null;
    });
  }
}
