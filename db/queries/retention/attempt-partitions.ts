import type { Sql } from "../../client.ts";

/** Makes the daily partitions of `attempts` from today for `days` days that are missing; returns how many it made. */
export async function makeAttemptPartitions(sql: Sql, days: number): Promise<number> {
  const [row] = await sql`SELECT make_attempt_partitions((now() AT TIME ZONE 'utc')::date, ${days}) AS made`;
  return row?.made ?? 0;
}

/**
 * Drops the oldest partition whose attempts are all more than `days` days and one old; returns how many it dropped, 0 or
 * 1. DROP wants `attempts` for itself for a moment, and whoever comes behind it waits too: call it with a short
 * lock_timeout. (DETACH CONCURRENTLY would not, but is refused where there is a default partition.)
 */
export async function dropAttemptPartition(sql: Sql, days: number): Promise<number> {
  const [oldest] = await sql`
    SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'attempts'::regclass AND c.relname ~ '^attempts_[0-9]{8}$'
      AND to_date(right(c.relname, 8), 'YYYYMMDD') + ${days}::integer + 2 <= (now() AT TIME ZONE 'utc')::date
    ORDER BY c.relname LIMIT 1`;
  if (!oldest) return 0;
  await sql`DROP TABLE IF EXISTS ${sql(oldest.name)}`;
  return 1;
}

/** Deletes rows that no day's partition took, once they are as old; at most `rowsMax`. Returns how many. */
export async function deleteFromDefaultPartition(sql: Sql, days: number, rowsMax: number): Promise<number> {
  const deleted = await sql`
    DELETE FROM attempts_default WHERE ctid = ANY (ARRAY (
      SELECT ctid FROM attempts_default WHERE attempted_at < now() - (${days}::integer + 1) * interval '1 day'
      LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED))`;
  return deleted.count;
}
