import type { Sql } from "../../client.ts";
import { InstallationError } from "../../installation-error.ts";
import versions from "../../migrations/meta/_journal.json" with { type: "json" };
import { journalIn, readSchema } from "../../schema-of-installation.ts";

/**
 * Checks that the newest migration of this version is applied. A database with a newer schema is fine. Throws an
 * InstallationError that says what to do.
 */
export async function assertSchemaFits(sql: Sql): Promise<void> {
  const applied = await readJournal(sql);
  refuseUnreleased(applied);
  const newest = versions.entries[versions.entries.length - 1];
  if (newest && (applied.at(-1) ?? 0) < newest.when) {
    throw new InstallationError(
      `The database lacks the migration ${newest.tag}: run "npm run migrate" with this version first.`,
    );
  }
}

/**
 * Throws an InstallationError when a version from before 0.1.0 made the database: it has migrations older than this
 * version's first one, which replaces them. An empty database, and one of a newer version, are fine.
 */
export async function assertMigratable(sql: Sql): Promise<void> {
  refuseUnreleased(await readJournal(sql));
}

/**
 * Whether the tables are where the role looks for them, with exactly the migrations that this version knows. Then a column or
 * a function that is not there is a mistake of this version.
 */
export async function hasKnownSchema(sql: Sql): Promise<boolean> {
  const [row] = await sql`SELECT to_regclass('schedules') IS NOT NULL AS found`;
  const applied = await readJournal(sql);
  const known = versions.entries.map(({ when }) => when);
  return row?.found && applied.length === known.length && applied.every((when, nth) => when === known[nth]);
}

function refuseUnreleased([oldest]: readonly number[]): void {
  const [first] = versions.entries;
  if (!first || oldest === undefined || oldest >= first.when) return;
  throw new InstallationError(
    "This database was made by a version of Stopwatch from before 0.1.0, which this version cannot upgrade: remove the data folder (.data/, or DATA_DIR) if npm start keeps it there, otherwise set DATABASE_URL to a new, empty database. Nothing was changed.",
  );
}

/** When each applied migration was written, epoch ms, the oldest first. None for a database without any. */
export async function readJournal(sql: Sql): Promise<number[]> {
  const schema = await readSchema(sql);
  if (schema === null) return [];
  const journal = journalIn(schema);
  const [present] = await sql`SELECT to_regclass(${journal}) IS NOT NULL AS found`;
  if (!present?.found) return [];
  const rows = await sql`SELECT created_at::float8 AS at FROM ${sql.unsafe(journal)} ORDER BY created_at`;
  return rows.map(({ at }) => at);
}
