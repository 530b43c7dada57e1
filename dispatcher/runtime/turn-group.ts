import { SortedQueue } from "./sorted-queue.ts";

/**
 * `turn` is the group's current entry in its queue. `owed` is its debt: how many turns its last items cost beyond one
 * each.
 */
export type Group<T> = { name: string; heap: SortedQueue<T>; servedAtMs: number; turn: Turn<T> | null; owed: number };
export type Turn<T> = { group: Group<T>; tagMs: number; dueMs: number; n: number };

/** Creates a group without items. `before` is the order of its items. */
export const newGroup = <T>(name: string, before: (a: T, b: T) => boolean): Group<T> => ({
  name,
  heap: new SortedQueue<T>(before),
  servedAtMs: Number.NEGATIVE_INFINITY,
  turn: null,
  owed: 0,
});

/** Whether this is still its group's current entry. */
export function counts<T>(turn: Turn<T>): boolean {
  return turn.group.turn === turn;
}
