import { isLateForLong } from "./lateness.ts";
import { MinHeap } from "./min-heap.ts";
import { counts, type Turn } from "./turn-group.ts";
import { PRUNE_AT_MIN } from "./turn-rules.ts";

/**
 * The groups whose heads have become late recently, in two orders. Outdated entries stay until they come to the top, or
 * are pruned.
 */
export class RecentlyLate<T> {
  readonly leastLate = new MinHeap<Turn<T>>((a, b) => a.dueMs > b.dueMs || (a.dueMs === b.dueMs && a.n < b.n));
  readonly mostLate = new MinHeap<Turn<T>>((a, b) => a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.n < b.n));

  /**
   * Adds the turn of one of `groups` groups. Prunes outdated entries when there are too many: in the order of the least
   * late they would stay below new ones for ever.
   */
  push(turn: Turn<T>, groups: number): void {
    const tooMany = Math.max(PRUNE_AT_MIN, 2 * groups);
    for (const order of [this.leastLate, this.mostLate]) {
      order.push(turn);
      if (order.size > tooMany) order.prune(counts);
    }
  }

  /** Drops heads that have been late for long at `nowMs`, as far as they are first. */
  forget(nowMs: number): void {
    const { leastLate, mostLate } = this;
    const isOver = (turn: Turn<T> | undefined) => turn !== undefined && isLateForLong(turn.dueMs, nowMs);
    if (isOver(leastLate.peek())) leastLate.clear();
    while (isOver(mostLate.peek())) mostLate.pop();
  }

  /** Drops outdated entries. */
  prune(): void {
    this.leastLate.prune(counts);
    this.mostLate.prune(counts);
  }

  clear(): void {
    this.leastLate.clear();
    this.mostLate.clear();
  }
}
