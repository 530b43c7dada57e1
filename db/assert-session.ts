import { randomInt } from "node:crypto";
import { type ConnectOptions, connect, type Database } from "./client.ts";
import { InstallationError } from "./installation-error.ts";
import { pgTextArray } from "./pg-array.ts";

type Settings = NonNullable<ConnectOptions["session"]>;

/**
 * Checks that a connection to `url` has a session of its own on the server: it has the `settings` that were sent when
 * it began, each statement meets the same session, and what is left in it is gone once the connection has ended. Behind
 * a pooler in session mode this holds, behind one in transaction mode never, whatever its size and load. Takes seven
 * round trips, and at most 10 s when it fails. Throws an InstallationError that names DATABASE_DIRECT_URL, and DatabaseUnavailable.
 */
export async function assertSession(url: string, settings: Settings): Promise<void> {
  const open = () => connect({ url, name: "stopwatch check", connectionsMax: 1, prepare: false, session: settings });
  const [first, second] = [open(), open()];
  try {
    await assertSettings(first, settings);
    const lock = await takeLock(first);
    if (!(await releaseLock(first, lock))) throw notKept();
    // The second statement may have met the same session by chance. So leave a lock in it.
    await takeLock(first, lock);
    await first.close();
    await assertFreed(second, lock);
  } finally {
    await Promise.all([first.close(), second.close()]);
  }
}

/** Time for each statement, ms. */
const DEADLINE_MS = 4_000;

async function assertSettings(database: Database, settings: Settings): Promise<void> {
  // The operating system's, not the session's: none for a Unix socket.
  const { tcp_user_timeout: _, ...wanted } = settings;
  const found = await database.run(
    DEADLINE_MS,
    ({ sql }) => sql<{ name: string; setting: string }[]>`
      SELECT name, setting FROM pg_settings WHERE name = ANY (${pgTextArray(Object.keys(wanted))}::text[])`,
  );
  for (const [name, value] of Object.entries(wanted)) {
    const setting = found.find((one) => one.name === name)?.setting;
    if (setting !== String(value)) throw pooled(`${name} is ${setting} instead of ${value}`);
  }
}

const ADVISORY_CLASS = 7_867_002;

/** A lock that was left behind stays until the pooler ends the session: with few ids, few can stay. */
const LOCK_IDS = 1_000;
const TRIES_MAX = 20;

/** Takes an advisory lock that nobody has, or `id` once more. Returns its id. */
async function takeLock(database: Database, id?: number): Promise<number> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const wanted = id ?? randomInt(LOCK_IDS);
    const [row] = await database.run(
      DEADLINE_MS,
      ({ sql }) => sql`SELECT pg_try_advisory_lock(${ADVISORY_CLASS}, ${wanted}) AS taken`,
    );
    if (row?.taken) return wanted;
  }
  // They are left behind by checks like this one, behind a pooler.
  throw notKept();
}

/** Returns whether the session of this statement had the lock. */
async function releaseLock(database: Database, id: number): Promise<boolean> {
  const [row] = await database.run(
    DEADLINE_MS,
    ({ sql }) => sql`SELECT pg_advisory_unlock(${ADVISORY_CLASS}, ${id}) AS had`,
  );
  return row?.had === true;
}

/** How long the server may take to end a session, and a pooler in session mode to clear it, ms. */
const END_MS_MAX = 10_000;
const ASK_EVERY_MS = 50;

/**
 * Waits until the lock of a connection that has ended is free. One statement asks both, since a session can always take
 * a lock once more that it has itself.
 */
async function assertFreed(database: Database, id: number): Promise<void> {
  const until = performance.now() + END_MS_MAX;
  do {
    const [row] = await database.run(
      DEADLINE_MS,
      ({ sql }) => sql`
        SELECT pg_advisory_unlock(${ADVISORY_CLASS}, ${id}) AS had,
               pg_try_advisory_xact_lock(${ADVISORY_CLASS}, ${id}) AS free`,
    );
    if (row?.had) break;
    if (row?.free) return;
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  } while (performance.now() < until);
  throw notKept();
}

const notKept = () => pooled("a statement does not find what the one before it left in the session");

const pooled = (finding: string) =>
  new InstallationError(
    `The database is reached through a pooler that does not keep sessions (as in transaction mode): ${finding}. Set DATABASE_DIRECT_URL, and DATABASE_OWNER_URL where it is used, to the database itself.`,
  );
