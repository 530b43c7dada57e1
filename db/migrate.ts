import { fileURLToPath } from "node:url";
import type { ServerVersion } from "#domain/postgres-releases.ts";
import { assertSession } from "./assert-session.ts";
import { openDriver } from "./driver.ts";
import { provideExtensions } from "./extensions.ts";
import { InstallationError } from "./installation-error.ts";
import { applyMigration, findPending, makeJournal } from "./migrator/apply-migration.ts";
import { explainMigrationFailure, MigrationError } from "./migrator/migration-error.ts";
import { type Migration, readMigrations } from "./migrator/read-migrations.ts";
import type { MigrationSession } from "./migrator/session.ts";
import { waitForTurn } from "./migrator/turn.ts";
import { withLockRetries } from "./migrator/with-lock-retries.ts";
import { assertMigratable } from "./queries/fleet/schema-version.ts";
import { readServerVersion } from "./queries/fleet/server-version.ts";
import { reachHost } from "./reach-host.ts";
import { refusedSession } from "./refused-session.ts";
import { grantToServiceRole } from "./service-role.ts";

export type MigrateOptions = {
  /** Gets a line when something has to wait, or takes long. */
  onLog?: (line: string) => void;
  serviceRoles?: readonly string[];
  /** How long each migration may wait for other transactions, ms. */
  waitMs?: number;
  /** Stops it. What is applied stays, and the next call continues there. */
  signal?: AbortSignal | undefined;
  /** Migrations as drizzle-kit writes them. */
  folder?: string;
};

/**
 * Brings the database at `url` up to this version's schema, makes the partitions of `attempts` for the days ahead, and
 * grants `serviceRoles` what the service needs.
 * It may do so while the service works: each migration is a transaction that gives up soon on a lock and tries again, or
 * makes an index concurrently. Interrupted anywhere and called again, it continues. Several callers may do so at once: an
 * advisory lock lets one work while the others wait. A database with a newer schema stays as it is. The lock belongs to the
 * session, so `url` must not be a pooler in transaction mode. Returns the server's version. Throws a MigrationError, an
 * InstallationError when the server is too old, a version from before 0.1.0 made the database, or `url` keeps no sessions,
 * and the signal's reason.
 */
export async function migrate(
  url: string,
  { onLog = () => {}, serviceRoles = [], waitMs = WAIT_MS, signal, folder = MIGRATIONS }: MigrateOptions = {},
): Promise<ServerVersion> {
  const hosts = await reachHost(url, REACH_MS).catch((error: unknown) => {
    throw refusedSession(error) ?? explainMigrationFailure(error, url, undefined);
  });
  const open = (name: string) =>
    openDriver(url, {
      hosts,
      max: 1,
      max_lifetime: null,
      connect_timeout: 10,
      connection: { application_name: name, ...SESSION },
    });
  const migrations = readMigrations(folder);
  const session: MigrationSession = {
    sql: open("stopwatch migrate"),
    watcher: open("stopwatch migrate, watching"),
    waitMs,
    onLog,
    signal,
  };
  const { sql } = session;
  let pending: Migration | undefined;
  try {
    await assertSession(url, SESSION);
    const server = await readServerVersion(sql);
    for (;;) {
      // Again for each: a connection that broke took the lock and the search_path with it.
      await waitForTurn(session);
      await assertMigratable(sql);
      await provideExtensions(sql);
      await makeJournal(sql);
      pending = await findPending(sql, migrations);
      if (pending === undefined) break;
      await applyMigration(session, pending);
    }
    await withLockRetries(
      session,
      "making the partitions of the days ahead",
      (tx) => tx`SELECT make_attempt_partitions((now() AT TIME ZONE 'utc')::date - 1, ${PARTITION_DAYS})`,
    );
    for (const role of serviceRoles) await grantToServiceRole(sql, role);
    return server;
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof InstallationError || error instanceof MigrationError) throw error;
    throw refusedSession(error) ?? explainMigrationFailure(error, url, pending?.tag);
  } finally {
    await Promise.all([sql.end({ timeout: 2 }), session.watcher.end({ timeout: 2 })]);
  }
}

/** How long the hosts of an address with several may take to answer, ms. */
const REACH_MS = 5_000;
const WAIT_MS = 10 * 60_000;
// Texts, since the driver does not send the number 0. A role may have timeouts of its own; each transaction sets its own.
const SESSION = { lock_timeout: "0", statement_timeout: "0" } as Record<string, string | number>;
const MIGRATIONS = fileURLToPath(new URL("./migrations", import.meta.url));
const PARTITION_DAYS = 9;
