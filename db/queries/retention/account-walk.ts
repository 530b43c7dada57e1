import type postgres from "postgres";
import type { Sql } from "../../client.ts";

/** Where a walk over all accounts, in the order of their ids, continues: the first account (UUID) of the next step. */
export type WalkFrom = string;

export type WalkStep = {
  /** Rows that were erased or deleted. */
  rows: number;
  /** Null when every account was visited. */
  next: WalkFrom | null;
};

export type Batch = { from: WalkFrom; rowsMax: number };

export const FIRST_ACCOUNT: WalkFrom = "00000000-0000-0000-0000-000000000000";

/** Accounts that one statement visits. Each costs a look-up in an index, whether there is something to delete or not. */
export const ACCOUNTS_PER_STEP = 1_000;

export type Fragment = postgres.PendingQuery<postgres.Row[]>;

/**
 * Selects what `runStep` needs to know of a statement with these CTEs: `visited` (accounts), `found` (rows to delete, with
 * their account) and `done` (those of them that were deleted).
 */
export function progress(sql: Sql, done: Fragment): Fragment {
  return sql`
    SELECT (SELECT count(*)::integer FROM found) AS found, (SELECT count(*)::integer FROM ${done}) AS rows,
      (SELECT account_id FROM found ORDER BY account_id DESC LIMIT 1) AS "lastFound",
      (SELECT count(*)::integer FROM visited) AS accounts, (SELECT id FROM visited ORDER BY id DESC LIMIT 1) AS "lastVisited"`;
}

/**
 * Runs one step of a walk: a statement that ends with `progress` and finds at most `rowsMax` rows. After a full batch the
 * walk goes on with the account in which the batch ended. If all rows of a full batch were locked, it goes on with the
 * next accounts instead, and the walk's next round finds them again.
 */
export async function runStep(rowsMax: number, statement: Fragment): Promise<WalkStep> {
  const [row] = await statement;
  if (!row) throw new Error("a retention statement returned no row");
  const { found, rows, lastFound, accounts, lastVisited } = row;
  if (found >= rowsMax && rows > 0) return { rows, next: lastFound };
  return { rows, next: accounts >= ACCOUNTS_PER_STEP ? lastVisited : null };
}
