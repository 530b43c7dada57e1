import type { Sql } from "../../client.ts";
import { environmentRows } from "../../literals.ts";
import { pgArray } from "../../pg-array.ts";
import { ACCOUNTS_PER_SEARCH, type Due, type Search, type Taken, type WalkQueries } from "./due-walk.ts";
import { type Backlog, DUE_COUNTED_MAX, type Fragment } from "./step.ts";

/** Deletes hourly counts of accounts that are more than `days` days old. */
export function countDeletion(days: number): WalkQueries<Due> {
  return {
    search: (sql, after) => search(sql, days, after),
    take: (sql, due, rowsMax) => take(sql, days, due, rowsMax),
    count: (sql, due) => count(sql, days, due),
  };
}

const oldest = (sql: Sql, account: Fragment, days: number, rowsMax: number): Fragment => sql`
  SELECT c.at, c.hour FROM (VALUES ${environmentRows(sql)}) e(env) CROSS JOIN LATERAL (
    SELECT c.ctid AS at, c.hour FROM account_counts c
    WHERE c.account_id = ${account} AND c.env = e.env AND c.hour < now() - ${days}::integer * interval '1 day'
    ORDER BY c.hour LIMIT ${rowsMax}) c
  LIMIT ${rowsMax}`;

async function search(sql: Sql, days: number, after: string): Promise<Search<Due>> {
  const [{ due = [], visited, last } = {}] = await sql`
    WITH visited AS MATERIALIZED (SELECT id FROM accounts WHERE id > ${after}::uuid ORDER BY id LIMIT ${ACCOUNTS_PER_SEARCH})
    SELECT array_to_json(ARRAY(
        SELECT v.id FROM visited v CROSS JOIN LATERAL (${oldest(sql, sql`v.id`, days, 1)}) c)) AS due,
      (SELECT count(*)::integer FROM visited) AS visited, (SELECT id FROM visited ORDER BY id DESC LIMIT 1) AS last`;
  return {
    due: (due as string[]).map((accountId) => ({ accountId, fromMs: 0 })),
    last: visited < ACCOUNTS_PER_SEARCH ? null : last,
  };
}

// An account has one row for each hour, environment, kind and bucket, so its batches are few and need not continue where
// the one before ended.
async function take(sql: Sql, days: number, due: readonly Due[], rowsMax: number): Promise<Taken> {
  const [row] = await sql`
    WITH found AS MATERIALIZED (${dueRows(sql, days, due, rowsMax)}), gone AS (
      DELETE FROM account_counts WHERE ctid = ANY (ARRAY (SELECT at FROM found)) RETURNING 1
    )
    SELECT (SELECT count(*)::integer FROM gone) AS rows, (SELECT count(*)::integer FROM found) AS found,
      (SELECT max(place)::integer - 1 FROM found) AS place`;
  return { rows: row?.rows, found: row?.found, place: row?.place, lastMs: 0 };
}

const dueRows = (sql: Sql, days: number, due: readonly Due[], rowsMax: number): Fragment => sql`
  SELECT d.place, c.at, c.hour FROM unnest(${pgArray(due.map(({ accountId }) => accountId))}::text::uuid[]) WITH ORDINALITY d(id, place)
  CROSS JOIN LATERAL (${oldest(sql, sql`d.id`, days, rowsMax)}) c
  LIMIT ${rowsMax}`;

async function count(sql: Sql, days: number, due: readonly Due[]): Promise<Backlog> {
  const [row] = await sql`
    SELECT count(*)::integer AS rows,
      coalesce(extract(epoch FROM now() - min(hour)) - ${days}::integer * 86400, 0)::float8 AS "oldestS"
    FROM (${dueRows(sql, days, due, DUE_COUNTED_MAX)}) d`;
  return { rows: row?.rows, oldestS: row?.oldestS };
}
