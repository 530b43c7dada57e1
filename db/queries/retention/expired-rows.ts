import type { Sql } from "../../client.ts";
import { lastShard } from "../../literals.ts";
import { type Backlog, DUE_COUNTED_MAX, type Step } from "./step.ts";

/** Rows of a table that are due `hours` after the time in `column`. An index begins with that column. */
export type Expiry = { table: string; column: string; hours: number };

/** Where the next batch begins: with the rows of this time, ISO 8601. Null at first. */
export type Since = string | null;

/**
 * Deletes rows that are due, oldest first: one batch of at most `rowsMax`, and none that another session has locked. It
 * begins where the batch before ended: from the oldest row on, it would read again what that one deleted.
 */
export async function deleteExpired(
  sql: Sql,
  { table, column, hours }: Expiry,
  since: Since,
  rowsMax: number,
): Promise<Step<Since>> {
  const [row] = await sql`
    WITH found AS MATERIALIZED (
      SELECT ctid AS at, ${sql(column)} AS expired FROM ${sql(table)}
      WHERE ${sql(column)} < now() - ${hours}::integer * interval '1 hour'
        AND ${sql(column)} >= coalesce(${since}::timestamptz, '-infinity')
      ORDER BY ${sql(column)} LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED
    ), gone AS (
      DELETE FROM ${sql(table)} WHERE ctid = ANY (ARRAY (SELECT at FROM found)) RETURNING 1
    )
    SELECT (SELECT count(*)::integer FROM gone) AS rows,
      (SELECT extract(epoch FROM max(expired))::float8 * 1000 FROM found) AS "lastMs"`;
  const isFull = row?.rows >= rowsMax;
  return { rows: row?.rows, next: isFull ? new Date(Math.round(row?.lastMs)).toISOString() : null };
}

/** How many such rows there are from `since` on, and how long ago the oldest became due. */
export async function countExpired(sql: Sql, { table, column, hours }: Expiry, since: Since): Promise<Backlog> {
  const [row] = await sql`
    SELECT count(*)::integer AS rows, coalesce(extract(epoch FROM now() - min(due_at)), 0)::float8 AS "oldestS"
    FROM (
      SELECT ${sql(column)} + ${hours}::integer * interval '1 hour' AS due_at FROM ${sql(table)}
      WHERE ${sql(column)} < now() - ${hours}::integer * interval '1 hour'
        AND ${sql(column)} >= coalesce(${since}::timestamptz, '-infinity')
      ORDER BY ${sql(column)} LIMIT ${DUE_COUNTED_MAX}) due`;
  return { rows: row?.rows, oldestS: row?.oldestS };
}

/** Deletes public counts that are more than `days` days old, at most `rowsMax`. Returns how many. */
export async function deleteOldPunctuality(sql: Sql, days: number, rowsMax: number): Promise<number> {
  const deleted = await sql`
    DELETE FROM shard_punctuality WHERE ctid = ANY (ARRAY (SELECT c.at FROM ${oldPunctuality(sql, days, rowsMax)}))`;
  return deleted.count;
}

/** How many such counts there are, and how long ago the oldest became due. */
export async function countOldPunctuality(sql: Sql, days: number): Promise<Backlog> {
  const [row] = await sql`
    SELECT count(*)::integer AS rows,
      coalesce(extract(epoch FROM now() - min(c.starts_at)) - ${days}::integer * 86400, 0)::float8 AS "oldestS"
    FROM ${oldPunctuality(sql, days, DUE_COUNTED_MAX)}`;
  return { rows: row?.rows, oldestS: row?.oldestS };
}

const oldPunctuality = (sql: Sql, days: number, rowsMax: number) => sql`
  (SELECT p.at, p.starts_at FROM generate_series(0, ${lastShard(sql)}) s(shard)
    CROSS JOIN LATERAL (
      SELECT ctid AS at, starts_at FROM shard_punctuality c
      WHERE c.shard = s.shard AND c.starts_at < now() - ${days}::integer * interval '1 day'
      ORDER BY c.starts_at LIMIT ${rowsMax}) p
    LIMIT ${rowsMax}) c`;
