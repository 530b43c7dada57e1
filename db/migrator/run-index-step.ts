import type { Sql } from "../client.ts";
import { MigrationError } from "./migration-error.ts";
import type { IndexStep } from "./read-index-step.ts";
import { runAlone } from "./run-alone.ts";
import type { MigrationSession } from "./session.ts";
import { withLockRetries } from "./with-lock-retries.ts";

/**
 * Runs a step that creates or drops an index CONCURRENTLY, which neither blocks readers nor writers. It may have been
 * interrupted before, anywhere: a valid index of that name is taken for this step's, one that is not valid is dropped
 * and made again.
 */
export async function runIndexStep(session: MigrationSession, step: IndexStep): Promise<void> {
  if (step.action === "drop") return runAlone(session, step.index, `DROP INDEX CONCURRENTLY IF EXISTS ${step.index}`);
  if (await isPartitioned(session.sql, step.table)) return createOnPartitions(session, step);
  return create(session, step);
}

async function create(session: MigrationSession, { index, table, statement }: PartitionIndex): Promise<void> {
  const found = await findOwn(session, index, table);
  if (found?.isValid) return;
  if (found) await drop(session, found.name);
  try {
    await runAlone(session, index, statement);
  } catch (error) {
    // What is left of a unique index would go on refusing rows.
    if (isViolation(error)) await drop(session, index);
    throw error;
  }
}

/**
 * PostgreSQL makes no index of a partitioned table concurrently. So make it on the parent alone, where it stays invalid,
 * and then on one partition after the other. The server makes it on partitions that are added meanwhile.
 */
async function createOnPartitions(session: MigrationSession, step: IndexStep & { action: "create" }): Promise<void> {
  const { index, table, onParent } = step;
  if (!(await findOwn(session, index, table))) await withLockRetries(session, index, (tx) => tx.unsafe(onParent));
  for (;;) {
    const part = await findPartitionWithout(session.sql, index, table);
    if (part === undefined) return;
    try {
      await create(session, part);
      await withLockRetries(session, index, (tx) => tx.unsafe(`ALTER INDEX ${index} ATTACH PARTITION ${part.index}`));
    } catch (error) {
      // Retention has dropped the partition.
      if (!isMissing(error)) throw error;
    }
  }
}

async function findOwn(session: MigrationSession, index: string, table: string) {
  const found = await findIndex(session.sql, index, table);
  if (found?.isOnTable === false)
    throw new MigrationError(`The index ${found.name} belongs to another table than ${table}: rename or drop it.`);
  return found;
}

const drop = (session: MigrationSession, index: string) =>
  runAlone(session, index, `DROP INDEX CONCURRENTLY IF EXISTS ${index}`);

const isViolation = (error: unknown) => /^23/.test((error as { code?: string }).code ?? "");
const isMissing = (error: unknown) => (error as { code?: string }).code === "42P01";

/**
 * Looks up the index `index` beside the table `table`; names are as in a statement. Undefined when there is none. It is not
 * valid when what built it was interrupted. `isOnTable` is false when it belongs to another table.
 */
async function findIndex(
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

async function isPartitioned(sql: Sql, table: string): Promise<boolean> {
  const [row] = await sql`SELECT relkind = 'p' AS found FROM pg_class WHERE oid = to_regclass(${table})`;
  return row?.found ?? false;
}

/** What makes the index of a partitioned table on one of its partitions. */
type PartitionIndex = { index: string; table: string; statement: string };

/**
 * The first partition of `table` without a part of its partitioned index `index`, and the statement that makes that part;
 * undefined when each has one.
 */
async function findPartitionWithout(sql: Sql, index: string, table: string): Promise<PartitionIndex | undefined> {
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
