import { fileURLToPath } from "node:url";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate as applyMigrations } from "drizzle-orm/postgres-js/migrator";
import type postgres from "postgres";
import type { ServerVersion } from "#domain/postgres-releases.ts";
import { assertSession } from "./assert-session.ts";
import { isUnavailable } from "./client.ts";
import { openDriver } from "./driver.ts";
import { provideExtensions } from "./extensions.ts";
import { InstallationError } from "./installation-error.ts";
import { assertMigratable } from "./queries/fleet/schema-version.ts";
import { readServerVersion } from "./queries/fleet/server-version.ts";
import { refusedSession } from "./refused-session.ts";
import { grantToServiceRole } from "./service-role.ts";

/** The migrations could not be applied. The message says what to do and never shows a password. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

/**
 * Brings the database at `url` up to this version's schema, makes the partitions of `attempts` for the days ahead, and
 * grants `serviceRoles` what the service needs.
 * Several callers may do so at once: an advisory lock lets one work while the others wait. A database with a newer
 * schema stays as it is. The lock belongs to the session, so `url` must not be a pooler in transaction mode. `onLog`
 * gets a line when it has to wait. Returns the server's version. Throws a MigrationError, and an InstallationError when
 * the server is too old, a version from before 0.1.0 made the database, or `url` keeps no sessions.
 */
export async function migrate(
  url: string,
  { onLog = () => {}, serviceRoles = [] }: { onLog?: (line: string) => void; serviceRoles?: readonly string[] } = {},
): Promise<ServerVersion> {
  const sql = openDriver(url, {
    max: 1,
    max_lifetime: null,
    connect_timeout: 10,
    connection: { application_name: "stopwatch migrate", ...SESSION },
  });
  try {
    const server = await readServerVersion(sql);
    await assertSession(url, SESSION);
    await waitForTurn(sql, onLog);
    await assertMigratable(sql);
    await provideExtensions(sql);
    await applyMigrations(drizzle(sql), { migrationsFolder: MIGRATIONS });
    await sql`SELECT make_attempt_partitions((now() AT TIME ZONE 'utc')::date - 1, ${PARTITION_DAYS})`;
    for (const role of serviceRoles) await grantToServiceRole(sql, role);
    return server;
  } catch (error) {
    if (error instanceof InstallationError) throw error;
    throw refusedSession(error) ?? explain(error, url);
  } finally {
    await sql.end({ timeout: 2 });
  }
}

const MIGRATIONS = fileURLToPath(new URL("./migrations", import.meta.url));
const PARTITION_DAYS = 9;
const ADVISORY_LOCK = 7_867_001;

// A change of a table waits for running transactions, and every later statement on the table waits behind it. Give up
// instead.
const LOCK_TIMEOUT_MS = 30_000;

// A text, since the driver does not send the number 0. A role may have a statement_timeout.
const SESSION: Record<string, string | number> = { lock_timeout: LOCK_TIMEOUT_MS, statement_timeout: "0" };

// Poll, because a session that waits inside pg_advisory_lock holds back CREATE INDEX CONCURRENTLY.
async function waitForTurn(sql: postgres.Sql, onLog: (line: string) => void) {
  for (let tries = 0; ; tries++) {
    const [row] = await sql<[{ mine: boolean }]>`SELECT pg_try_advisory_lock(${ADVISORY_LOCK}) AS mine`;
    if (row.mine) return;
    if (tries % 50 === 0) onLog("waiting for another process that migrates this database");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function explain(error: unknown, url: string): MigrationError {
  const { code, message } = ((error as Error).cause ?? error) as { code?: string; message: string };
  // A URL parser refuses an address with several hosts: show the first host.
  const { hostname, port, pathname, username } = new URL(url.replace(/,[^/]*/, ""));
  const database = `${pathname.slice(1)} on ${hostname}:${port || 5432}`;
  const failure = (text: string) => new MigrationError(text, { cause: error });

  if (code === "28P01" || code === "28000") return failure(`The database ${database} refuses the user ${username}.`);
  if (code === "3D000") return failure(`There is no database ${database}: create it first.`);
  if (code === "42501")
    return failure(
      `The user ${username} may not change the schema of ${database}. Migrate as its owner: set DATABASE_OWNER_URL where the service has a role of its own. (${message})`,
    );
  if (code === "55P03")
    return failure(
      `A table of ${database} was in use for ${LOCK_TIMEOUT_MS / 1000} s: nothing was changed, try again.`,
    );
  if (isUnavailable(error)) return failure(`The database ${database} cannot be reached: ${message || code}`);
  return failure(`The database ${database} could not be migrated, nothing was changed: ${message}`);
}
