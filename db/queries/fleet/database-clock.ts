import type { Sql } from "../../client.ts";

/** The database's clock, epoch milliseconds with microsecond precision. */
export async function readDatabaseClock(sql: Sql): Promise<number> {
  const [row] = await sql`SELECT extract(epoch FROM clock_timestamp())::float8 * 1000`.values();
  return row?.[0] as number;
}
