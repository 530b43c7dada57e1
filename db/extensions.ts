import type { Sql } from "./client.ts";
import { InstallationError } from "./installation-error.ts";
import { pgTextArray } from "./pg-array.ts";

/** What the indexes of searches are made with. Both come with PostgreSQL. */
const EXTENSIONS = ["pg_trgm", "btree_gin"];
// Of the database: its installations share the extensions.
const ADVISORY_LOCK = 7_867_005;

/**
 * Creates the extensions that the database lacks, all or none, and lets this session find those that are in a schema
 * outside its search_path. Throws an InstallationError that names the extension which the server lacks, or which this
 * user may not create or use.
 */
export async function provideExtensions(sql: Sql): Promise<void> {
  const missing = (await readExtensions(sql)).filter(({ schema }) => schema === null);
  const unavailable = missing.filter(({ isAvailable }) => !isAvailable).map(({ name }) => name);
  if (unavailable.length > 0) {
    throw new InstallationError(
      `The database server lacks ${nameAll(unavailable)}: install the package of PostgreSQL's additional modules (postgresql-contrib), or allow it in the settings of the database's host. Nothing was changed.`,
    );
  }
  await createAll(
    sql,
    missing.map(({ name }) => name),
  );
  await findAll(sql);
}

/** An extension that the database needs: where it is, if it is there, and whether this role may use that schema. */
export type ExtensionState = { name: string; isAvailable: boolean; schema: string | null; isUsable: boolean };

/** The extensions that the service needs, as the database and its server have them. */
export function readExtensions(sql: Sql): Promise<ExtensionState[]> {
  return sql<ExtensionState[]>`
    SELECT wanted.name, available.name IS NOT NULL AS "isAvailable", n.nspname AS schema,
      coalesce(has_schema_privilege(n.oid, 'USAGE'), false) AS "isUsable"
    FROM unnest(${pgTextArray(EXTENSIONS)}::text::text[]) WITH ORDINALITY wanted (name, place)
    LEFT JOIN pg_available_extensions available ON available.name = wanted.name
    LEFT JOIN pg_extension e ON e.extname = wanted.name
    LEFT JOIN pg_namespace n ON n.oid = e.extnamespace
    ORDER BY wanted.place`;
}

async function createAll(sql: Sql, names: string[]): Promise<void> {
  await sql.begin(async (tx) => {
    // Those who migrate other schemas of this database may create them too.
    await tx`SELECT pg_advisory_xact_lock(${ADVISORY_LOCK})`;
    // Not in a schema of one installation, which may be removed while others use them.
    const [row] = await tx`
      SELECT current_schema() <> 'public' AND has_schema_privilege(oid, 'CREATE') AS found FROM pg_namespace WHERE nspname = 'public'`;
    const place = row?.found ? tx`SCHEMA public` : tx``;
    for (const name of names) {
      await tx`CREATE EXTENSION IF NOT EXISTS ${sql(name)} ${place}`.catch((error: Error) => {
        throw new InstallationError(
          `The database needs ${nameAll([name])}, which could not be created (${error.message}): create it as the owner of the database, by CREATE EXTENSION ${name}. Nothing was changed.`,
          { cause: error },
        );
      });
    }
  });
}

/** Appends the schemas of the extensions to the search_path of this session. */
async function findAll(sql: Sql): Promise<void> {
  const schemas = await sql<{ schema: string; isUsable: boolean }[]>`
    SELECT DISTINCT nspname AS schema, has_schema_privilege(n.oid, 'USAGE') AS "isUsable"
    FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace
    WHERE extname = ANY (${pgTextArray(EXTENSIONS)}::text::text[]) AND nspname <> ALL (current_schemas(true))`;
  for (const { schema, isUsable } of schemas) {
    if (!isUsable) {
      throw new InstallationError(
        `The extensions of this database are in the schema ${schema}, which this user may not use: run GRANT USAGE ON SCHEMA ${schema} for it. Nothing was changed.`,
      );
    }
    await sql`SELECT set_config('search_path', concat_ws(', ', nullif(current_setting('search_path'), ''), quote_ident(${schema})), false)`;
  }
}

const nameAll = (names: string[]) => `the extension${names.length > 1 ? "s" : ""} ${names.join(" and ")}`;
