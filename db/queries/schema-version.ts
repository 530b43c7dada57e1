import { sql } from "drizzle-orm";
import type { DbOrTx } from "../client.ts";
import journal from "../migrations/meta/_journal.json" with { type: "json" };
import { InstallationError } from "./instance-secrets.ts";

/**
 * Checks that the newest migration this code knows is applied; a database that is newer is fine. Throws an
 * InstallationError that says what to do.
 */
export async function assertSchemaFits(db: DbOrTx): Promise<void> {
  const [present] = await db.execute<{ found: boolean }>(
    sql`SELECT to_regclass('drizzle.__drizzle_migrations') IS NOT NULL AS found`,
  );
  const [applied] = present?.found
    ? await db.execute<{ newest: string | null }>(
        sql`SELECT max(created_at) AS newest FROM drizzle.__drizzle_migrations`,
      )
    : [];
  const newest = journal.entries[journal.entries.length - 1];
  if (newest && Number(applied?.newest ?? 0) < newest.when) {
    throw new InstallationError(
      `The database lacks the migration ${newest.tag}: run "npm run migrate" with this version first.`,
    );
  }
}
