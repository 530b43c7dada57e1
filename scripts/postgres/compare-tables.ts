import type { Sql } from "postgres";

/** A table with its schema, and its stored columns, as statements name them. */
export type Table = { name: string; columns: string };

/** How many rows a table has, and a sum over the hashes of all of them, whatever their order; "" where rows were only counted. */
export type Contents = { rows: number; sum: string };

/**
 * The tables of a database; `unlogged`: also those that a crash empties. Partitions count as part of their table, generated
 * columns are left out.
 */
export async function listTables(sql: Sql, { unlogged }: { unlogged: boolean }): Promise<Table[]> {
  const rows = await sql`
    SELECT format('%I.%I', n.nspname, c.relname) AS name,
      (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute a
       WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname NOT IN ('pg_catalog', 'information_schema')
      AND (c.relpersistence = 'p' OR c.relpersistence = 'u' AND ${unlogged}::boolean)
    ORDER BY 1`;
  return rows as unknown as Table[];
}

type Options = {
  /** Gets the name of each table before it is read. */
  onTable?: (name: string) => void;
  /** Ends it between two tables. */
  signal?: AbortSignal;
};

/** Counts the rows of each table by reading every page of it, so that a page whose checksum is wrong is an error. */
export function countRows(sql: Sql, tables: readonly Pick<Table, "name">[], options: Options = {}) {
  return readAll(sql, tables, () => "''", options);
}

/**
 * Also sums up the values, which takes 15 times as long: 3.6 s for 1,500,000 rows of 613 MB in memory. The hash is the one of
 * hash-partitioned tables, so it is the same in every major version.
 */
export function sumRows(sql: Sql, tables: readonly Table[], options: Options = {}) {
  return readAll(
    sql,
    tables,
    ({ columns }) => `coalesce(sum(hashtextextended(ROW(${columns})::text, 0)), 0)::text`,
    options,
  );
}

async function readAll<T extends Pick<Table, "name">>(
  sql: Sql,
  tables: readonly T[],
  sumOf: (table: T) => string,
  { onTable, signal }: Options,
): Promise<Map<string, Contents>> {
  await sql`SELECT set_config(name, 'off', false) FROM unnest('{enable_indexscan,enable_indexonlyscan,enable_bitmapscan}'::text[]) name`;
  const contents = new Map<string, Contents>();
  for (const table of tables) {
    signal?.throwIfAborted();
    onTable?.(table.name);
    const [row] = await sql.unsafe(`SELECT count(*)::float8 AS rows, ${sumOf(table)} AS sum FROM ${table.name}`);
    contents.set(table.name, row as unknown as Contents);
  }
  return contents;
}

/** One sentence for each table whose rows are not those that it should have. */
export function findDifferences(wanted: ReadonlyMap<string, Contents>, found: ReadonlyMap<string, Contents>): string[] {
  return [...wanted].flatMap(([table, { rows, sum }]) => {
    const other = found.get(table);
    if (other?.rows !== rows) return [`${table} has ${other?.rows ?? "no"} rows instead of ${rows}`];
    return other.sum === sum ? [] : [`${table} has other values`];
  });
}

/** How many rows all tables have together. */
export function totalRows(contents: ReadonlyMap<string, Contents>): number {
  return [...contents.values()].reduce((sum, { rows }) => sum + rows, 0);
}
