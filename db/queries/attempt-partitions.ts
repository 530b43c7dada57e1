import type { Sql } from "../client.ts";

/** Makes the daily partitions of `attempts` from today for `days` days that are missing; returns how many it made. */
export async function makeAttemptPartitions(sql: Sql, days: number): Promise<number> {
  const [row] = await sql`SELECT make_attempt_partitions((now() AT TIME ZONE 'utc')::date, ${days}) AS made`;
  return row?.made ?? 0;
}
