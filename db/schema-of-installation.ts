import { InstallationError } from "./installation-error.ts";
import type { Runner } from "./literals.ts";

/**
 * The schema of the installation that a session works in: the first one of its search_path. Null when there is none, or
 * none that the role may use.
 */
export async function readSchema(sql: Runner): Promise<string | null> {
  const [row] = await sql`SELECT current_schema() AS schema`;
  return row?.schema;
}

/**
 * Reads the schema in which a session is to migrate, and reduces its search_path to it: some functions keep the path that
 * they are made with. Throws an InstallationError when there is none, or its name does not fit.
 */
export async function pinSchema(sql: Runner): Promise<string> {
  const schema = await readSchema(sql);
  if (schema === null)
    throw new InstallationError(
      "The search_path of the database leads to no schema that this user may use: create one, or set another search_path. Nothing was changed.",
    );
  if (!NAME.test(schema))
    throw new InstallationError(
      `The schema ${JSON.stringify(schema)} cannot hold an installation: its name has to begin with a letter or "_", and to have at most ${LENGTH_MAX} of a-z, 0-9 and "_". Nothing was changed.`,
    );
  await sql`SELECT set_config('search_path', ${schema}, false)`;
  return schema;
}

/** A channel is "stopwatch_due_" and the name of the schema, and has at most 63 bytes. */
const LENGTH_MAX = 48;
const NAME = new RegExp(`^[a-z_][a-z0-9_]{0,${LENGTH_MAX - 1}}$`);

/**
 * The table of applied migrations of the installation in `schema`, as it stands in SQL: that of drizzle for "public", and one
 * in the schema itself for any other.
 */
export const journalIn = (schema: string): string =>
  schema === "public" ? "drizzle.__drizzle_migrations" : `"${schema}".__drizzle_migrations`;

/**
 * SQL: the key, bigint, of the advisory lock with this number. Such locks belong to the database, so that their keys carry
 * the schema; in "public" the key is the number.
 */
export const lockKey = (number: number): string =>
  `(CASE current_schema() WHEN 'public' THEN ${number}::bigint ELSE hashtextextended(current_schema() || ' ${number}', 0) END)`;
