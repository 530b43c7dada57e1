import type { Sql } from "../../client.ts";
import { FIRST_ACCOUNT } from "./account-walk.ts";
import type { Backlog, Step } from "./step.ts";

/** Rows of an account that are to be taken. The next batch begins with those of `fromMs`, epoch ms. */
export type Due = { accountId: string; fromMs: number };

/**
 * The progress of a walk over the accounts that have rows to take. It remembers where each account's next batch begins:
 * from the account's oldest row on, a batch would read again what the batches before deleted, until a vacuum.
 */
export type DueWalk<D extends Due> = {
  /** The last account (UUID) that was searched; null when all were. */
  searched: string | null;
  /** What was found, in turn. */
  due: readonly D[];
  next: "search" | "take";
};

export const WALK_BEGINS: DueWalk<never> = { searched: FIRST_ACCOUNT, due: [], next: "search" };

/** Accounts that one search visits. Each costs a look-up in an index, whether there is something to take or not. */
export const ACCOUNTS_PER_SEARCH = 250;

/** Accounts whose rows are counted as due. */
const ACCOUNTS_COUNTED = 1_000;

/** What a walk remembers. It takes those rows before it searches more. */
const DUE_MAX = 2_000;

/** What one search found; `last` is the last account that it visited, null when it was the last of all. */
export type Search<D extends Due> = { due: D[]; last: string | null };

/** The rows of one batch: how many were taken and found, and of the last one its index in `due` and its time. */
export type Taken = { rows: number; found: number; place: number; lastMs: number };

export type WalkQueries<D extends Due> = {
  search(sql: Sql, after: string): Promise<Search<D>>;
  take(sql: Sql, due: readonly D[], rowsMax: number): Promise<Taken>;
  count(sql: Sql, due: readonly D[]): Promise<Backlog>;
};

/**
 * Runs one step of a walk: searches the next accounts, or takes one batch from those that were found. An account in
 * which a full batch ended goes to the end of the queue, so that one with millions of rows delays no other.
 */
export async function walkStep<D extends Due>(
  sql: Sql,
  { search, take }: WalkQueries<D>,
  walk: DueWalk<D>,
  rowsMax: number,
): Promise<Step<DueWalk<D>>> {
  if (walk.next === "search" && walk.searched !== null) {
    const { due, last } = await search(sql, walk.searched);
    return { rows: 0, next: then({ searched: last, due: [...walk.due, ...due], next: "take" }) };
  }
  const taken = await take(sql, walk.due.slice(0, rowsMax), rowsMax);
  return { rows: taken.rows, next: then({ ...walk, due: afterBatch(walk.due, taken, rowsMax), next: "search" }) };
}

/** Has the other accounts go first: for a batch that fails with the first one. */
export function postponeFirst<D extends Due>(walk: DueWalk<D>): DueWalk<D> {
  const [first, ...others] = walk.due;
  if (walk.next === "search" || !first) return then({ ...walk, next: "take" }) ?? walk;
  return { ...walk, due: [...others, first], next: "search" };
}

/** The backlog of the accounts that were found and not taken yet, 1,000 at most; null while none was found. */
export async function countWalk<D extends Due>(
  sql: Sql,
  { count }: WalkQueries<D>,
  { due }: DueWalk<D>,
): Promise<Backlog | null> {
  return due.length === 0 ? null : count(sql, due.slice(0, ACCOUNTS_COUNTED));
}

function then<D extends Due>(walk: DueWalk<D>): DueWalk<D> | null {
  const { searched, due } = walk;
  if (due.length === 0) return searched === null ? null : { ...walk, next: "search" };
  return searched === null || due.length >= DUE_MAX ? { ...walk, next: "take" } : walk;
}

// When others hold all rows of a full batch, the account goes on behind them, and the walk's next round finds them again.
function afterBatch<D extends Due>(due: readonly D[], taken: Taken, rowsMax: number): readonly D[] {
  if (taken.found < rowsMax) return due.slice(rowsMax);
  const last = due[taken.place];
  if (!last) throw new Error("a batch of retention ended in no account");
  const fromMs = taken.rows > 0 ? taken.lastMs : taken.lastMs + 1;
  return [...due.slice(taken.place + 1), { ...last, fromMs }];
}
