import type { Sql } from "../../client.ts";

/** The database's clock, epoch milliseconds with microsecond precision. */
export async function readDatabaseClock(sql: Sql): Promise<number> {
  const [row] = await sql`SELECT extract(epoch FROM clock_timestamp())::float8 * 1000`.values();
  return row?.[0] as number;
}

/** How many seconds an instant is ahead by the database's clock; negative when it has passed. */
export async function readSecondsUntil(sql: Sql, instant: Date): Promise<number> {
  const [row] = await sql`
    SELECT extract(epoch FROM ${instant.toISOString()}::timestamptz - clock_timestamp())::float8`.values();
  return row?.[0] as number;
}
