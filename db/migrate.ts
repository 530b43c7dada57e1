import { fileURLToPath } from "node:url";
import { type CheckedServer, checkServer } from "./check-server.ts";
import { openDriver } from "./driver.ts";
import { provideExtensions } from "./extensions.ts";
import { InstallationError } from "./installation-error.ts";
import { makeMissingFunctions, readFunctions, type SqlFunctions, updateFunctions } from "./migrator/apply-functions.ts";
import { applyMigration, findPending, makeJournal } from "./migrator/apply-migration.ts";
import { explainMigrationFailure, MigrationError } from "./migrator/migration-error.ts";
import { type Migration, readMigrations } from "./migrator/read-migrations.ts";
import type { MigrationSession } from "./migrator/session.ts";
import { waitForTurn } from "./migrator/turn.ts";
import { withLockRetries } from "./migrator/with-lock-retries.ts";
import { assertMigratable } from "./queries/fleet/schema-version.ts";
import { reachHost } from "./reach-host.ts";
import { refusedSession } from "./refused-session.ts";
import { pinSchema } from "./schema-of-installation.ts";
import { grantToServiceRole } from "./service-role.ts";
import { DIRECT_SESSION } from "./sessions.ts";

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
  functions?: SqlFunctions;
};

/**
 * Brings the installation at `url`, which is in the first schema of its search_path, up to this version's schema, makes the partitions of `attempts` for the days ahead, and
 * grants `serviceRoles` what the service needs.
 * It may do so while the service works: each migration is a transaction that gives up soon on a lock and tries again, or
 * makes an index concurrently. Interrupted anywhere and called again, it continues. Several callers may do so at once: an
 * advisory lock lets one work while the others wait. A database with a newer schema stays as it is. The lock belongs to the
 * session, so `url` must not be a pooler in transaction mode. Returns what is known of the server. Throws a MigrationError, an
 * InstallationError when the server or its settings do not fit, a version from before 0.1.0 made the database, or `url` keeps no sessions,
 * and the signal's reason.
 */
export async function migrate(
  url: string,
  {
    onLog = () => {},
    serviceRoles = [],
    waitMs = WAIT_MS,
    signal,
    folder = MIGRATIONS,
    functions = readFunctions(),
  }: MigrateOptions = {},
): Promise<CheckedServer> {
  const hosts = await reachHost(url, REACH_MS).catch((error: unknown) => {
    throw refusedSession(error) ?? explainMigrationFailure(error, url, undefined);
  });
  const migrations = readMigrations(folder);
  const last = migrations.at(-1);
  let session: MigrationSession | undefined;
  let pending: Migration | undefined;
  try {
    const server = await checkServer(url, DIRECT_SESSION, { creates: true });
    const open = (name: string) =>
      openDriver(url, {
        hosts,
        max: 1,
        max_lifetime: null,
        connect_timeout: 10,
        connection: { application_name: name, ...DIRECT_SESSION, ...server.session },
      });
    const sql = open("stopwatch migrate");
    session = { sql, watcher: open("stopwatch migrate, watching"), waitMs, onLog, signal };
    for (;;) {
      // Again for each: a connection that broke took the lock and the search_path with it.
      await waitForTurn(session);
      const schema = await pinSchema(sql);
      await assertMigratable(sql);
      await provideExtensions(sql);
      await makeJournal(sql, schema);
      pending = await findPending(sql, schema, migrations);
      if (pending === undefined) {
        if (last) await updateFunctions(session, schema, functions, last.writtenAt);
        break;
      }
      await makeMissingFunctions(session, functions);
      await applyMigration(session, schema, pending, pending === last ? functions : undefined);
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
    await Promise.all([session?.sql, session?.watcher].map((sql) => sql?.end({ timeout: 2 })));
  }
}

/** How long the hosts of an address with several may take to answer, ms. */
const REACH_MS = 5_000;
const WAIT_MS = 10 * 60_000;
const MIGRATIONS = fileURLToPath(new URL("./migrations", import.meta.url));
const PARTITION_DAYS = 9;
