import type { Side } from "./servers.ts";

export type Table = { name: string; rows: number };

/**
 * The tables of the service that are moved, quoted, with an estimate of their rows: not the partitions, which belong to
 * their table, and not what a crash empties.
 */
export async function readTables({ sql }: Pick<Side, "sql">): Promise<Table[]> {
  return sql<Table[]>`
    SELECT format('%I.%I', n.nspname, c.relname) AS name,
      (SELECT coalesce(sum(greatest(p.reltuples, 0)), 0)::float8 FROM pg_class p
        WHERE p.relkind = 'r' AND (p.oid = c.oid OR p.oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = c.oid))) AS rows
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND c.relname <> '__drizzle_migrations' AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence = 'p'
      AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = c.oid AND deptype = 'e')
    ORDER BY 1`;
}

/** The days for which `attempts` has a partition, as YYYYMMDD, the oldest first. */
export async function readAttemptDays({ sql }: Pick<Side, "sql">): Promise<string[]> {
  const rows = await sql`
    SELECT right(c.relname, 8) AS day FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'attempts'::regclass AND c.relname ~ '^attempts_[0-9]{8}$' ORDER BY 1`;
  return rows.map(({ day }) => day);
}
