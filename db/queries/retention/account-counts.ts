import type { Sql } from "../../client.ts";
import { environmentList } from "../../literals.ts";
import { ACCOUNTS_PER_STEP, type Batch, progress, runStep, type WalkStep } from "./account-walk.ts";

/** Deletes hourly counts of accounts that are more than `days` days old: one batch of at most `rowsMax`. */
export function deleteOldCounts(sql: Sql, days: number, { from, rowsMax }: Batch): Promise<WalkStep> {
  return runStep(
    rowsMax,
    sql`
    WITH visited AS MATERIALIZED (
      SELECT id FROM accounts WHERE id >= ${from}::uuid ORDER BY id LIMIT ${ACCOUNTS_PER_STEP}
    ), found AS MATERIALIZED (
      SELECT v.id AS account_id, c.at FROM visited v CROSS JOIN LATERAL (
        SELECT c.ctid AS at FROM account_counts c
        WHERE c.account_id = v.id AND c.env IN (${environmentList(sql)}) AND c.hour < now() - ${days}::integer * interval '1 day'
        LIMIT ${rowsMax}) c
      ORDER BY v.id LIMIT ${rowsMax}
    ), gone AS (
      DELETE FROM account_counts WHERE ctid = ANY (ARRAY (SELECT at FROM found)) RETURNING 1
    )
    ${progress(sql, sql`gone`)}`,
  );
}
