import type { Sql } from "postgres";

/** A table with its schema, and its stored columns, as statements name them. */
export type Table = { name: string; columns: string };

/** All tables of a database, unlogged ones too. Partitions count as part of their table, generated columns are left out. */
export async function listWholeTables(sql: Sql): Promise<Table[]> {
  const rows = await sql`
    SELECT format('%I.%I', n.nspname, c.relname) AS name,
      (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute a
       WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname NOT IN ('pg_catalog', 'information_schema')
    ORDER BY 1`;
  return rows as unknown as Table[];
}
