import type { Sql } from "../../client.ts";
import { InstallationError } from "../../installation-error.ts";
import journal from "../../migrations/meta/_journal.json" with { type: "json" };

/**
 * Checks that the newest migration of this version is applied. A database with a newer schema is fine. Throws an
 * InstallationError that says what to do.
 */
export async function assertSchemaFits(sql: Sql): Promise<void> {
  const [present] = await sql`SELECT to_regclass('drizzle.__drizzle_migrations') IS NOT NULL AS found`;
  const [applied] = present?.found
    ? await sql`SELECT max(created_at)::float8 AS newest FROM drizzle.__drizzle_migrations`
    : [];
  const newest = journal.entries[journal.entries.length - 1];
  if (newest && Number(applied?.newest ?? 0) < newest.when) {
    throw new InstallationError(
      `The database lacks the migration ${newest.tag}: run "npm run migrate" with this version first.`,
    );
  }
}
