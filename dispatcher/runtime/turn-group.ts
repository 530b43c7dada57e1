import type { MinHeap } from "./min-heap.ts";

/**
 * `turn` is the group's current entry in the heaps below. `owed` is how many turns its last items used beyond one each.
 */
export type Group<T> = { name: string; heap: MinHeap<T>; servedAtMs: number; turn: Turn<T> | null; owed: number };
export type Turn<T> = { group: Group<T>; tagMs: number; dueMs: number; n: number };

/** Whether this is still its group's current entry. */
export function counts<T>(turn: Turn<T>): boolean {
  return turn.group.turn === turn;
}
