/** Every so many turns one goes to a head that is on time. */
export const ON_TIME_TURN = 4;
/** A head that is on time is at most this much ahead, ms, unless its queue says otherwise. */
export const AHEAD_MS = 20;
/** The last turn of a group that has nothing any more counts for so long, ms. */
export const REMEMBERED_MS = 1_000;
/** Items that were removed are looked for in the whole queue when it has grown to this, or to twice what waited last. */
export const PRUNE_AT_MIN = 1_024;

/** What a queue of turns has to know of its items. */
export type TurnRules<T> = {
  /** Groups take turns. */
  groupOf(item: T): string;
  /** When the item is due, ms. */
  dueMs(item: T): number;
  /** The order within a group. */
  before(a: T, b: T): boolean;
  /** Whether the item still waits: one that does not is dropped when it is its group's first. */
  isWaiting(item: T): boolean;
  /** How many turns of its group the item takes; 1 unless given. */
  turns?(item: T): number;
  /** A head is on time when it is at most this much ahead, ms; 20 unless given. */
  aheadMs?: number;
};
