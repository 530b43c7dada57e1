import { RUNTIME } from "../tuning/runtime.ts";

/** Who gets the `n`th turn: a head chosen by its lateness, or the group with the smallest tag. */
export function turnFor(n: number): "on time" | "most late" | "first" {
  if (n % RUNTIME.onTimeTurn === 0) return "on time";
  return n % RUNTIME.mostLateTurn === 1 ? "most late" : "first";
}

/** Whether an item may be taken. */
export type Accepts<T> = (item: T) => boolean;

/** What a fair queue needs to know about its items. */
export type TurnRules<T> = {
  /** The group of an item; groups take turns. */
  groupOf(item: T): string;
  /** When the item is due, ms. */
  dueMs(item: T): number;
  /** The order within a group. */
  before(a: T, b: T): boolean;
  /** Whether the item still waits. One that does not is dropped when it is its group's head. */
  isWaiting(item: T): boolean;
  /** How many turns the item costs its group; 1 unless given. */
  turns?(item: T): number;
  /** A head due further ahead than this does not yet count as on time, ms; 20 unless given. */
  aheadMs?: number;
};
