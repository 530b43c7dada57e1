import { randomInt } from "node:crypto";
import type postgres from "postgres";
import { openDriver } from "#db/driver.ts";
import { DIRECT_SESSION } from "#db/sessions.ts";
import { atHost, describeDatabase, parseDatabaseAddress } from "#domain/database-address.ts";
import { SetupError } from "../setup-error.ts";

/** One of the two databases of a move, over one connection that may write while the database is read-only. */
export type Side = {
  url: string;
  sql: postgres.Sql;
  /** Its database and host, for messages. */
  name: string;
  /** Opens one more connection of that kind. */
  open(): postgres.Sql;
};

/** Opens the database of an address with one host. Throws a SetupError when it cannot be reached. */
export async function openSide(url: string, what: string): Promise<Side> {
  const open = () =>
    openDriver(url, {
      max: 1,
      max_lifetime: null,
      connect_timeout: 5,
      fetch_types: false,
      connection: { application_name: APPLICATION, ...SESSION } as Record<string, string>,
    });
  const sql = open();
  const name = describeDatabase(parseDatabaseAddress(url));
  try {
    await sql`SELECT 1`;
  } catch (error) {
    await sql.end({ timeout: 0 });
    throw new SetupError(
      `${what}, ${name}, cannot be reached: ${(error as Error).message || (error as { code?: string }).code}.`,
    );
  }
  return { url, sql, name, open };
}

const APPLICATION = "stopwatch move";
const SESSION = {
  ...DIRECT_SESSION,
  default_transaction_read_only: "off",
  lock_timeout: "10s",
  idle_in_transaction_session_timeout: "0",
  synchronous_commit: "on",
};

/**
 * Opens the database that is moved: of the hosts in the settings' address the one that is no standby and not the target.
 * Throws a SetupError when there is none, or several.
 */
export async function findSource(url: string, target: Side): Promise<Side> {
  const { hosts } = parseDatabaseAddress(url);
  const sides: Side[] = [];
  const failures: string[] = [];
  let isTarget = false;
  for (const one of hosts.length === 0 ? [url] : hosts.map((host) => atHost(url, host))) {
    const side = await openSide(one, "The database of the settings").catch((error: Error) => {
      failures.push(error.message);
    });
    if (!side) continue;
    const [row] = await side.sql`SELECT pg_is_in_recovery() AS waits`;
    const isSame = !row?.waits && (await isSameDatabase(side, target));
    isTarget ||= isSame;
    if (row?.waits || isSame) await close(side);
    else sides.push(side);
  }
  const [source, ...others] = sides;
  if (source && others.length === 0) return source;
  await close(...sides);
  if (source)
    throw new SetupError(
      `${sides.map(({ name }) => name).join(" and ")} are both primaries: name the one to move alone.`,
    );
  if (failures.length > 0) throw new SetupError(failures.join("\n"));
  throw new SetupError(
    isTarget
      ? `The settings and --to name the same database, ${target.name}: --to is the new one, and the settings name the old one, or both.`
      : "The settings name no database that takes writes.",
  );
}

/** A lock in one database is seen in the other. */
async function isSameDatabase(a: Side, b: Side): Promise<boolean> {
  const key = randomInt(2 ** 31 - 1);
  await a.sql`SELECT pg_advisory_lock(${CLASS}, ${key})`;
  const found = await b.sql`
    SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid::bigint = ${CLASS} AND objid::bigint = ${key}
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  await a.sql`SELECT pg_advisory_unlock(${CLASS}, ${key})`;
  return found.length > 0;
}

const CLASS = 7_867_004;

/** Makes this process the only one that moves to this database. Throws a SetupError when another one does. */
export async function takeTurn({ sql }: Side) {
  const [row] = await sql`SELECT pg_try_advisory_lock(${CLASS}, 0) AS mine`;
  if (!row?.mine) throw new SetupError("Another npm run move-database is at work: wait until it has ended.");
}

export async function close(...sides: Side[]) {
  await Promise.all(sides.map(({ sql }) => sql.end({ timeout: 2 })));
}

/** Ends every other session of the database that began before now, and waits until it has ended. Replication stays. */
export async function endSessions({ sql }: Side) {
  // A session that is about to begin may have read the settings of before, and is not listed yet. It has this lock.
  const beginning = await sql`
    SELECT pid FROM pg_locks WHERE locktype = 'object' AND classid = 'pg_database'::regclass
      AND objid = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND mode = 'RowExclusiveLock' AND pid <> pg_backend_pid()`;
  const pids = (rows: readonly { pid?: number }[]) => `{${rows.map(({ pid }) => pid).join(",")}}`;
  await until("a session that began did not go on", async () => {
    const left = await sql`
      SELECT FROM pg_locks WHERE locktype = 'object' AND classid = 'pg_database'::regclass AND mode = 'RowExclusiveLock'
        AND pid = ANY (${pids(beginning)}::text::int[])`;
    return left.length === 0;
  });
  const ended = await sql`
    SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND usename IS NOT NULL
      AND coalesce(backend_type, 'client backend') = 'client backend'
      AND pid NOT IN (SELECT pid FROM pg_stat_replication)`;
  await until("a session did not end", async () => {
    const left = await sql`SELECT FROM pg_stat_activity WHERE pid = ANY (${pids(ended)}::text::int[])`;
    return left.length === 0;
  });
}

/** Waits until `condition` holds, for `deadlineMs` at most. Throws a SetupError with `what` otherwise. */
export async function until(what: string, condition: () => Promise<boolean>, deadlineMs = 10_000) {
  const end = performance.now() + deadlineMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new SetupError(`${what} within ${deadlineMs / 1_000} s`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

const POLL_MS = 10;
