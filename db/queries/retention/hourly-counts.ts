import type { Sql } from "../../client.ts";
import { environmentRows } from "../../literals.ts";
import { pgArray } from "../../pg-array.ts";
import { ACCOUNTS_PER_SEARCH, type Due, type Search, type Taken, type WalkQueries } from "./due-walk.ts";
import { type Backlog, DUE_COUNTED_MAX, type Fragment } from "./step.ts";

/** Tables with rows of an account, an environment and an hour. */
export type HourlyTable = "account_counts" | "host_counts" | "counted_hosts";

/** For how many days each plan keeps an hour, from its end on. */
type Days = Record<string, number>;

/** Deletes the rows of hours that are older than their account's plan keeps. */
export function countDeletion(table: HourlyTable, days: Days): WalkQueries<Due> {
  return {
    search: (sql, after) => search(sql, { table, days }, after),
    take: (sql, due, rowsMax) => take(sql, { table, days }, due, rowsMax),
    count: (sql, due) => count(sql, { table, days }, due),
  };
}

type Kept = { table: HourlyTable; days: Days };

// `account` has the columns id and plan. `until` is when the row was to be deleted.
const oldest = (sql: Sql, { table, days }: Kept, account: Fragment, rowsMax: number): Fragment => sql`
  SELECT c.at, c.hour + w.kept AS until
  FROM (
    SELECT (days * 24 + 1) * interval '1 hour' AS kept FROM unnest(
      ${pgArray(Object.keys(days))}::text::text[],
      ${pgArray(Object.values(days))}::text::integer[]) w(plan, days) WHERE w.plan = ${account}.plan) w
  CROSS JOIN (VALUES ${environmentRows(sql)}) e(env) CROSS JOIN LATERAL (
    SELECT c.ctid AS at, c.hour FROM ${sql(table)} c
    WHERE c.account_id = ${account}.id AND c.env = e.env AND c.hour < now() - w.kept
    ORDER BY c.hour LIMIT ${rowsMax}) c
  LIMIT ${rowsMax}`;

async function search(sql: Sql, kept: Kept, after: string): Promise<Search<Due>> {
  const [{ due = [], visited, last } = {}] = await sql`
    WITH visited AS MATERIALIZED (
      SELECT id, plan FROM accounts WHERE id > ${after}::uuid ORDER BY id LIMIT ${ACCOUNTS_PER_SEARCH})
    SELECT array_to_json(ARRAY(
        SELECT v.id FROM visited v CROSS JOIN LATERAL (${oldest(sql, kept, sql`v`, 1)}) c)) AS due,
      (SELECT count(*)::integer FROM visited) AS visited, (SELECT id FROM visited ORDER BY id DESC LIMIT 1) AS last`;
  return {
    due: (due as string[]).map((accountId) => ({ accountId, fromMs: 0 })),
    last: visited < ACCOUNTS_PER_SEARCH ? null : last,
  };
}

// Batches need not continue where the one before ended, since the rows of an account and an hour are few.
async function take(sql: Sql, kept: Kept, due: readonly Due[], rowsMax: number): Promise<Taken> {
  const [row] = await sql`
    WITH found AS MATERIALIZED (${dueRows(sql, kept, due, rowsMax)}), gone AS (
      DELETE FROM ${sql(kept.table)} WHERE ctid = ANY (ARRAY (SELECT at FROM found)) RETURNING 1
    )
    SELECT (SELECT count(*)::integer FROM gone) AS rows, (SELECT count(*)::integer FROM found) AS found,
      (SELECT max(place)::integer - 1 FROM found) AS place`;
  return { rows: row?.rows, found: row?.found, place: row?.place, lastMs: 0 };
}

const dueRows = (sql: Sql, kept: Kept, due: readonly Due[], rowsMax: number): Fragment => sql`
  SELECT d.place, c.at, c.until FROM unnest(${pgArray(due.map(({ accountId }) => accountId))}::text::uuid[]) WITH ORDINALITY d(id, place)
  CROSS JOIN LATERAL (SELECT a.id, a.plan FROM accounts a WHERE a.id = d.id OFFSET 0) a
  CROSS JOIN LATERAL (${oldest(sql, kept, sql`a`, rowsMax)}) c
  LIMIT ${rowsMax}`;

async function count(sql: Sql, kept: Kept, due: readonly Due[]): Promise<Backlog> {
  const [row] = await sql`
    SELECT count(*)::integer AS rows, coalesce(extract(epoch FROM now() - min(until)), 0)::float8 AS "oldestS"
    FROM (${dueRows(sql, kept, due, DUE_COUNTED_MAX)}) d`;
  return { rows: row?.rows, oldestS: row?.oldestS };
}
