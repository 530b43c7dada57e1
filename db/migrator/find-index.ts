import type { Sql } from "../client.ts";

/**
 * Looks up the index `index` beside the table `table`; names are as in a statement. Undefined when there is none. It is not
 * valid when what built it was interrupted. `isOnTable` is false when it belongs to another table.
 */
export async function findIndex(
  sql: Sql,
  index: string,
  table: string,
): Promise<{ name: string; isValid: boolean; isOnTable: boolean } | undefined> {
  const [found] = await sql<{ name: string; isValid: boolean; isOnTable: boolean }[]>`
    SELECT format('%s.%I', c.relnamespace::regnamespace, c.relname) AS name, i.indisvalid AS "isValid", i.indrelid = t.oid AS "isOnTable"
    FROM pg_class t JOIN pg_class c ON c.relnamespace = t.relnamespace JOIN pg_index i ON i.indexrelid = c.oid
    WHERE t.oid = to_regclass(${table}) AND c.relname = (parse_ident(${index}))[1]`;
  return found;
}

export async function isPartitioned(sql: Sql, table: string): Promise<boolean> {
  const [row] = await sql`SELECT relkind = 'p' AS found FROM pg_class WHERE oid = to_regclass(${table})`;
  return row?.found ?? false;
}

/** What makes the index of a partitioned table on one of its partitions. */
export type PartitionIndex = { index: string; table: string; statement: string };

/**
 * The first partition of `table` without a part of its partitioned index `index`, and the statement that makes that part;
 * undefined when each has one.
 */
export async function findPartitionWithout(
  sql: Sql,
  index: string,
  table: string,
): Promise<PartitionIndex | undefined> {
  const [found] = await sql<{ index: string; table: string; head: string; definition: string; isUnique: boolean }[]>`
    SELECT quote_ident(ci.relname || '_' || p.relname) AS index, format('%s.%I', p.relnamespace::regnamespace, p.relname) AS table,
      format('CREATE %sINDEX %I ON ONLY %s.%I ', CASE WHEN i.indisunique THEN 'UNIQUE ' END, ci.relname,
        t.relnamespace::regnamespace, t.relname) AS head,
      pg_get_indexdef(i.indexrelid) AS definition, i.indisunique AS "isUnique"
    FROM pg_class t
    JOIN pg_index i ON i.indrelid = t.oid
    JOIN pg_class ci ON ci.oid = i.indexrelid AND ci.relname = (parse_ident(${index}))[1]
    JOIN pg_inherits h ON h.inhparent = t.oid
    JOIN pg_class p ON p.oid = h.inhrelid
    WHERE t.oid = to_regclass(${table}) AND NOT EXISTS (
      SELECT FROM pg_inherits ih JOIN pg_index part ON part.indexrelid = ih.inhrelid
      WHERE ih.inhparent = i.indexrelid AND part.indrelid = p.oid)
    ORDER BY p.relname LIMIT 1`;
  if (found === undefined) return undefined;
  if (!found.definition.startsWith(found.head)) throw new Error(`an unknown form of an index: ${found.definition}`);
  const unique = found.isUnique ? "UNIQUE " : "";
  const statement = `CREATE ${unique}INDEX CONCURRENTLY ${found.index} ON ${found.table} ${found.definition.slice(found.head.length)}`;
  return { index: found.index, table: found.table, statement };
}
