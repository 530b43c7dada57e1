import type { Sql } from "postgres";

/** The tables of a database that survive a crash, with their schemas, quoted. Partitions are named one by one. */
export async function listTables(sql: Sql): Promise<string[]> {
  const rows = await sql`
    SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'r' AND c.relpersistence = 'p' AND n.nspname NOT IN ('pg_catalog', 'information_schema')
    ORDER BY 1`;
  return rows.map((row) => row.name);
}

/**
 * Counts the rows of each table by reading every page of it, so that a page whose checksum is wrong is an error. Gives up
 * between two tables when `signal` aborts.
 */
export async function countRows(
  sql: Sql,
  tables: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, number>> {
  await sql`SELECT set_config(name, 'off', false) FROM unnest('{enable_indexscan,enable_indexonlyscan,enable_bitmapscan}'::text[]) name`;
  const counts = new Map<string, number>();
  for (const table of tables) {
    signal?.throwIfAborted();
    const [row] = await sql.unsafe(`SELECT count(*)::float8 AS n FROM ${table}`);
    counts.set(table, row?.n);
  }
  return counts;
}

/** One sentence for each table that does not have the rows that it should have. */
export function differences(wanted: ReadonlyMap<string, number>, found: ReadonlyMap<string, number>): string[] {
  return [...wanted].flatMap(([table, n]) =>
    found.get(table) === n ? [] : [`${table} has ${found.get(table) ?? "no"} rows instead of ${n}`],
  );
}
