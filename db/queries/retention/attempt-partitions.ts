import type { Sql } from "../../client.ts";
import type { Backlog } from "./step.ts";

/** Makes the missing daily partitions of `attempts` for `days` days from today. Returns how many it made. */
export async function makeAttemptPartitions(sql: Sql, days: number): Promise<number> {
  const [row] = await sql`SELECT make_attempt_partitions((now() AT TIME ZONE 'utc')::date, ${days}) AS made`;
  return row?.made ?? 0;
}

/** For how many days after today, UTC, there are partitions, without a gap; at most 99. */
export async function countPartitionsAhead(sql: Sql): Promise<number> {
  const [row] = await sql`
    SELECT min(day)::integer - 1 AS ahead FROM generate_series(1, 100) day
    WHERE day = 100
      OR to_regclass('attempts_' || to_char((now() AT TIME ZONE 'utc')::date + day, 'YYYYMMDD')) IS NULL`;
  return row?.ahead;
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

/** How many partitions can be dropped, and how long ago the oldest could be. */
export async function countDroppablePartitions(sql: Sql, days: number): Promise<Backlog> {
  const [row] = await sql`
    SELECT count(*)::integer AS rows,
      coalesce(extract(epoch FROM (now() AT TIME ZONE 'utc') - min(due_at)), 0)::float8 AS "oldestS"
    FROM (
      SELECT to_date(right(c.relname, 8), 'YYYYMMDD') + greatest(${days}::integer, 1) + 2 AS due_at
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'attempts'::regclass AND c.relname ~ '^attempts_[0-9]{8}$') p
    WHERE due_at <= (now() AT TIME ZONE 'utc')::date`;
  return { rows: row?.rows, oldestS: row?.oldestS };
}
