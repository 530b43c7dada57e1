import type { SnapshotHolder } from "#domain/held-snapshot.ts";
import type { Sql } from "../../client.ts";

/**
 * Who holds the oldest snapshot of this database; null when nobody else does. How long the sessions of other roles have had
 * theirs is seen with `pg_read_all_stats` alone. Source: PostgreSQL documentation, 24.1.2 (removal of dead rows), 27.2.3
 * (pg_stat_activity), 52.16 and 52.19 (pg_prepared_xacts, pg_replication_slots).
 */
export async function readSnapshotHolder(sql: Sql): Promise<SnapshotHolder | null> {
  const [holder] = await sql<SnapshotHolder[]>`
    SELECT kind, name, pid, held_ms AS "heldMs", transactions FROM (
      SELECT CASE backend_type WHEN 'walsender' THEN 'standby' ELSE 'session' END AS kind, nullif(application_name, '') AS name, pid,
        (extract(epoch FROM clock_timestamp() - xact_start) * 1000)::float8 AS held_ms, age(backend_xmin) AS transactions
      FROM pg_stat_activity
      WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid()
        AND (datname = current_database() OR backend_type = 'walsender') AND backend_type <> 'autovacuum worker'
      UNION ALL
      SELECT 'prepared', gid, NULL, (extract(epoch FROM clock_timestamp() - prepared) * 1000)::float8, age(transaction)
      FROM pg_prepared_xacts WHERE database = current_database()
      UNION ALL
      SELECT 'slot', slot_name, active_pid, NULL, age(xmin) FROM pg_replication_slots WHERE xmin IS NOT NULL) holders
    ORDER BY transactions DESC, pid LIMIT 1`;
  return holder ?? null;
}
