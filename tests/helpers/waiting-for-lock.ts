import type postgres from "postgres";

/** How many sessions of this database wait for a lock, with a statement that contains `text`. */
export async function waitingForLock(sql: postgres.Sql | postgres.TransactionSql, text = ""): Promise<number> {
  const [row] = await sql`
    SELECT count(*)::int AS n FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND strpos(query, ${text}) > 0`;
  return row?.n;
}
