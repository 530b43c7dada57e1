import type { Sql } from "../../client.ts";

/** Makes the missing daily partitions of `attempts` for `days` days from today. Returns how many it made. */
export async function makeAttemptPartitions(sql: Sql, days: number): Promise<number> {
  const [row] = await sql`SELECT make_attempt_partitions((now() AT TIME ZONE 'utc')::date, ${days}) AS made`;
  return row?.made ?? 0;
}

/**
 * Drops the oldest partition when all its attempts are more than `days` + 1 days old. Returns how many it dropped, 0 or
 * 1. DROP needs an exclusive lock on `attempts` for a moment, and every later statement waits behind it: call it with a
 * short lock_timeout. (DETACH CONCURRENTLY would not need the lock, but Postgres refuses it where there is a default
 * partition.)
 */
export async function dropAttemptPartition(sql: Sql, days: number): Promise<number> {
  const [row] = await sql`SELECT drop_attempt_partition(${days}) AS name`;
  return row?.name ? 1 : 0;
}

/**
 * Deletes rows of the default partition that are more than `days` + 1 days old, at most `rowsMax`. Returns how many.
 */
export async function deleteFromDefaultPartition(sql: Sql, days: number, rowsMax: number): Promise<number> {
  const deleted = await sql`
    DELETE FROM attempts_default WHERE ctid = ANY (ARRAY (
      SELECT ctid FROM attempts_default WHERE attempted_at < now() - (${days}::integer + 1) * interval '1 day'
      LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED))`;
  return deleted.count;
}
