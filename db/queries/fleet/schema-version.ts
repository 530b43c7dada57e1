import type { Sql } from "../../client.ts";
import functions from "../../functions.json" with { type: "json" };
import { InstallationError } from "../../installation-error.ts";
import type { Runner } from "../../literals.ts";
import versions from "../../migrations/meta/_journal.json" with { type: "json" };
import { journalIn, readSchema } from "../../schema-of-installation.ts";

/**
 * Checks that the newest migration of this version is applied, and its SQL functions. A database with a newer schema is fine.
 * Throws an InstallationError that says what to do.
 */
export async function assertSchemaFits(sql: Sql): Promise<void> {
  const { migrations, functionsAt } = await readApplied(sql);
  refuseUnreleased(migrations);
  const newest = versions.entries[versions.entries.length - 1];
  const applied = migrations.at(-1) ?? 0;
  if (newest && applied < newest.when) {
    throw new InstallationError(
      `The database lacks the migration ${newest.tag}: run "npm run migrate" with this version first.`,
    );
  }
  if (applied === newest?.when && functionsAt < functions.writtenAt) {
    throw new InstallationError(
      'The database has the SQL functions of an older version: run "npm run migrate" with this version first.',
    );
  }
}

/**
 * Throws an InstallationError when a version from before 0.1.0 made the database: it has migrations older than this
 * version's first one, which replaces them. An empty database, and one of a newer version, are fine.
 */
export async function assertMigratable(sql: Sql): Promise<void> {
  refuseUnreleased((await readApplied(sql)).migrations);
}

/**
 * Whether the tables are where the role looks for them, with exactly the migrations and functions that this version knows. Then
 * a column or a function that is not there is a mistake of this version.
 */
export async function hasKnownSchema(sql: Sql): Promise<boolean> {
  const [row] = await sql`SELECT to_regclass('schedules') IS NOT NULL AS found`;
  return row?.found && isOfThisVersion(await readApplied(sql));
}

/** Whether these are exactly the migrations and functions that this version knows. */
export function isOfThisVersion({ migrations, functionsAt }: Applied): boolean {
  return String(migrations) === String(versions.entries.map(({ when }) => when)) && functionsAt === functions.writtenAt;
}

function refuseUnreleased([oldest]: readonly number[]): void {
  const [first] = versions.entries;
  if (!first || oldest === undefined || oldest >= first.when) return;
  throw new InstallationError(
    "This database was made by a version of Stopwatch from before 0.1.0, which this version cannot upgrade: remove the data folder (.data/, or DATA_DIR) if npm start keeps it there, otherwise set DATABASE_URL to a new, empty database. Nothing was changed.",
  );
}

/** What is applied: when each migration was written, and when one of the SQL functions was changed last, epoch ms. */
export type Applied = { migrations: number[]; functionsAt: number };

/** What is applied, the oldest migration first. `functionsAt` is 0 where that is not known. A database may have neither. */
export async function readApplied(sql: Runner): Promise<Applied> {
  const schema = await readSchema(sql);
  if (schema === null) return NOTHING;
  const journal = journalIn(schema);
  const [table] = await sql`
    SELECT to_regclass(${journal}) IS NOT NULL AS found, obj_description(to_regclass(${journal}), 'pg_class') AS comment`;
  if (!table?.found) return NOTHING;
  const rows = await sql`SELECT created_at::float8 AS at FROM ${sql.unsafe(journal)} ORDER BY created_at`;
  return { migrations: rows.map(({ at }) => at), functionsAt: Number(COMMENT.exec(table.comment)?.[1] ?? 0) };
}

const NOTHING: Applied = { migrations: [], functionsAt: 0 };

/** Notes beside the journal, in its comment, when the applied functions were changed last. */
export async function noteFunctionsAt(tx: Runner, schema: string, writtenAt: number): Promise<void> {
  await tx.unsafe(`COMMENT ON TABLE ${journalIn(schema)} IS 'SQL functions of ${writtenAt}'`);
}

const COMMENT = /^SQL functions of (\d+)$/;
