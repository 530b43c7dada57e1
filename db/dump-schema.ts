import { fileURLToPath } from "node:url";
import type { Sql } from "./client.ts";
import written from "./functions.json" with { type: "json" };
import { hashOf, readFunctions } from "./migrator/apply-functions.ts";

/** The dump of the schema that is kept beside the migrations. */
export const SCHEMA_FILE = fileURLToPath(new URL("./schema.sql", import.meta.url));

/** What is kept of the files in `db/functions`: a hash of them, and when it changed last. */
export const FUNCTIONS_FILE = fileURLToPath(new URL("./functions.json", import.meta.url));

/** The text of FUNCTIONS_FILE. `nowMs` is its instant when the files have changed since it was written, epoch ms. */
export function dumpFunctions(nowMs: number): string {
  const texts = readFunctions().all.map(({ name, hash }) => `${name} ${hash}\n`);
  const hash = hashOf(texts.join(""));
  const isChanged = hash !== written.hash;
  return `${JSON.stringify(isChanged ? { writtenAt: Math.max(nowMs, written.writtenAt + 1), hash } : written, null, 2)}\n`;
}

const HEAD = `-- The schema that the migrations make, without the functions, which are in db/functions, and without the daily
-- partitions of attempts. To be read, not to be run. Written by "npm run schema:dump": do not edit it.`;

/**
 * The tables of the public schema with their columns, constraints, indexes and triggers, as SQL. The order depends on
 * names alone. Left out are functions (they are in `db/functions`), the daily partitions of `attempts`, and what
 * belongs to extensions. Throws when the schema has anything else, such as a view or a type.
 */
export async function dumpSchema(sql: Sql): Promise<string> {
  await assertNothingElse(sql);
  const extensions = await sql<{ name: string }[]>`
    SELECT extname AS name FROM pg_extension WHERE extname <> 'plpgsql' ORDER BY 1`;
  const parts = [HEAD, extensions.map(({ name }) => `CREATE EXTENSION ${name};`).join("\n")];
  for (const table of await readTables(sql)) parts.push(await describeTable(sql, table));
  return `${parts.join("\n\n")}\n`;
}

type Table = {
  oid: number;
  name: string;
  is_unlogged: boolean;
  partitioned_by: string | null;
  /** For a partition: the table that it is part of, and its bound. */
  parent: string | null;
  bound: string | null;
  options: string[] | null;
};

function readTables(sql: Sql): Promise<Table[]> {
  return sql<Table[]>`
    SELECT c.oid, c.relname AS name, c.relpersistence = 'u' AS is_unlogged, pg_get_partkeydef(c.oid) AS partitioned_by,
      i.inhparent::regclass::text AS parent, pg_get_expr(c.relpartbound, c.oid) AS bound, array_to_json(c.reloptions) AS options
    FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
      AND (NOT c.relispartition OR pg_get_expr(c.relpartbound, c.oid) = 'DEFAULT')
    ORDER BY c.relname`;
}

async function describeTable(sql: Sql, table: Table): Promise<string> {
  const { name, oid, parent, bound } = table;
  if (parent !== null) return `CREATE TABLE ${name} PARTITION OF ${parent} ${bound};`;
  const lines = [...(await readColumns(sql, oid)), ...(await readConstraints(sql, oid))].map((line) => `  ${line}`);
  const kind = table.is_unlogged ? "UNLOGGED TABLE" : "TABLE";
  const partitions = table.partitioned_by === null ? "" : ` PARTITION BY ${table.partitioned_by}`;
  const options = table.options === null ? "" : ` WITH (${table.options.join(", ")})`;
  return [
    `CREATE ${kind} ${name} (\n${lines.join(",\n")}\n)${partitions}${options};`,
    ...(await readIndexes(sql, oid)),
    ...(await readTriggers(sql, oid)),
  ].join("\n");
}

async function readColumns(sql: Sql, table: number): Promise<string[]> {
  const rows = await sql`
    SELECT concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
      CASE WHEN a.attcollation <> t.typcollation
        THEN 'COLLATE ' || (SELECT quote_ident(collname) FROM pg_collation WHERE oid = a.attcollation) END,
      CASE WHEN a.attstorage <> t.typstorage THEN 'STORAGE ' || CASE a.attstorage
        WHEN 'p' THEN 'PLAIN' WHEN 'e' THEN 'EXTERNAL' WHEN 'm' THEN 'MAIN' ELSE 'EXTENDED' END END,
      CASE a.attgenerated WHEN '' THEN 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid, true)
        ELSE 'GENERATED ALWAYS AS (' || pg_get_expr(d.adbin, d.adrelid, true) || ')'
          || CASE a.attgenerated WHEN 's' THEN ' STORED' ELSE ' VIRTUAL' END END,
      CASE WHEN a.attnotnull THEN 'NOT NULL' END)
    FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid = ${table} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`.values();
  return rows.map(([line]) => line);
}

async function readConstraints(sql: Sql, table: number): Promise<string[]> {
  const rows = await sql`
    SELECT 'CONSTRAINT ' || quote_ident(conname) || ' ' || pg_get_constraintdef(oid, true) FROM pg_constraint
    WHERE conrelid = ${table} AND contype IN ('p', 'u', 'f', 'c', 'x')
    ORDER BY array_position('{p,u,f,x,c}', contype::text), conname`.values();
  return rows.map(([line]) => line);
}

/** The indexes that do not belong to a constraint. */
async function readIndexes(sql: Sql, table: number): Promise<string[]> {
  const rows = await sql`
    SELECT pg_get_indexdef(i.indexrelid, 0, true) || ';' FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE i.indrelid = ${table} AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid)
    ORDER BY c.relname`.values();
  return rows.map(([line]) => line);
}

async function readTriggers(sql: Sql, table: number): Promise<string[]> {
  const rows = await sql`
    SELECT pg_get_triggerdef(oid, true) || ';' FROM pg_trigger
    WHERE tgrelid = ${table} AND NOT tgisinternal ORDER BY tgname`.values();
  return rows.map(([line]) => line);
}

async function assertNothingElse(sql: Sql): Promise<void> {
  const others = await sql`
    WITH of_extensions AS (SELECT objid FROM pg_depend WHERE deptype = 'e')
    SELECT relname FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind NOT IN ('r', 'p', 'i', 'I') AND oid NOT IN (TABLE of_extensions)
    UNION ALL SELECT typname FROM pg_type
      WHERE typnamespace = 'public'::regnamespace AND typtype IN ('d', 'e', 'r') AND oid NOT IN (TABLE of_extensions)
    UNION ALL SELECT polname FROM pg_policy
    UNION ALL SELECT nspname FROM pg_namespace
      WHERE nspname NOT IN ('public', 'drizzle', 'information_schema') AND nspname NOT LIKE 'pg\_%'`.values();
  if (others.length > 0) throw new Error(`db/dump-schema.ts cannot write ${others.join(", ")} yet: teach it to.`);
}
