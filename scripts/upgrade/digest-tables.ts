import type { Sql } from "postgres";
import type { Table } from "./table-list.ts";

/** How many rows a table has, and a sum over the hashes of all of them, whatever their order. */
export type Digest = { rows: number; sum: string };

/**
 * Reads every row of each table. The hash is the one of hash-partitioned tables, so it is the same in every major version.
 * `onTable` gets the name of each table before it is read. Gives up between two tables when `signal` aborts.
 */
export async function digestTables(
  sql: Sql,
  tables: readonly Table[],
  { onTable, signal }: { onTable: (name: string) => void; signal: AbortSignal },
): Promise<Map<string, Digest>> {
  const digests = new Map<string, Digest>();
  for (const { name, columns } of tables) {
    signal.throwIfAborted();
    onTable(name);
    const [row] = await sql.unsafe(
      `SELECT count(*)::float8 AS rows, coalesce(sum(hashtextextended(ROW(${columns})::text, 0)), 0)::text AS sum FROM ${name}`,
    );
    digests.set(name, row as unknown as Digest);
  }
  return digests;
}

/** One sentence for each table whose rows are not those that it should have. */
export function findDifferences(wanted: ReadonlyMap<string, Digest>, found: ReadonlyMap<string, Digest>): string[] {
  return [...wanted].flatMap(([table, { rows, sum }]) => {
    const other = found.get(table);
    if (other?.rows !== rows) return [`${table} has ${other?.rows ?? "no"} rows instead of ${rows}`];
    return other.sum === sum ? [] : [`${table} has other values`];
  });
}
