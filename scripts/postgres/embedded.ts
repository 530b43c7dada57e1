import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import { afterFailure } from "../clean-up.ts";
import { makeDataFolder } from "../data-folder.ts";
import { freePort } from "../ports.ts";
import { SetupError } from "../setup-error.ts";
import { type Access, addressOf, DATABASE, makeAccess, readAccess, saveAccess } from "./access.ts";
import { findPostgresHome, type PostgresHome } from "./home.ts";
import { takeOwnership } from "./ownership.ts";
import { OLDER_MAJORS } from "./releases.ts";
import {
  createCluster,
  damagedData,
  hasCluster,
  isServerRunning,
  killServer,
  majorOf,
  startServer,
  stopServer,
} from "./server.ts";

export type EmbeddedPostgres = {
  /** The address of the database, including the password. */
  url: string;
  /** The folder of the server's files. */
  cluster: string;
  /** Settles when the server ends without `stop`. */
  lost: Promise<void>;
  /** Stops the server. Open transactions are rolled back; what was committed is on disk. */
  stop(): Promise<void>;
  /** Stops the server at once, without waiting. The next start recovers what was committed. */
  kill(): void;
};

/**
 * Starts PostgreSQL on a data folder. On first use it creates the folder, which keeps the port and the password. The
 * server runs in a session of its own, so Ctrl-C does not reach it. A server that a killed process left behind is
 * stopped and started again. `programs` is the folder of the programs of another release; `port` the only port that will do, for a
 * server that is started again: its data must be there.
 * Throws a SetupError, also when another process runs the server of this folder.
 */
export async function startEmbeddedPostgres(
  dataDir: string,
  { settings = {}, programs, port }: { settings?: Record<string, string>; programs?: string; port?: number } = {},
): Promise<EmbeddedPostgres> {
  const isThere = port === undefined || (await stat(join(dataDir, "postgres", "PG_VERSION")).catch(() => undefined));
  if (!isThere) throw new SetupError(`its data in ${dataDir} is gone`);
  await assertNotBetween(dataDir);
  await makeDataFolder(dataDir);
  const home = await findPostgresHome(dataDir, programs);
  await assertSameMajor(dataDir, home);
  const access = await readOrCreateAccess(dataDir, home);
  await createCluster(home, access.password);
  await stopAbandonedServer(home, access, dataDir);

  // Use the same port as before if it is free, so that the address stays.
  access.port = await freePort(port ?? access.port);
  if (port !== undefined && access.port !== port) throw new SetupError(`another program has taken its port ${port}`);
  await saveAccess(dataDir, access);
  await startServer(home, access.port, settings);
  const ownership = await takeOwnership(addressOf(access, "postgres"));
  if (!ownership) throw new SetupError(inUse(dataDir));
  await createDatabase(access).catch(async (error) => {
    await afterFailure(
      () => ownership.release(),
      () => stopServer(home),
    );
    throw error;
  });
  let gone = false;
  void ownership.lost.then(() => {
    gone = true;
  });
  return {
    url: addressOf(access),
    cluster: home.cluster,
    lost: ownership.lost,
    async stop() {
      await ownership.release();
      await stopServer(home).catch((error) => {
        if (!gone) throw error;
      });
    },
    kill: () => killServer(home),
  };
}

/** Throws a SetupError when another process runs the server of this data folder. */
export async function assertDataFolderFree(dataDir: string) {
  const access = await readAccess(dataDir);
  if (!access) return;
  const ownership = await takeOwnership(addressOf(access, "postgres")).catch(() => "not running" as const);
  if (!ownership) throw new SetupError(inUse(dataDir));
  if (ownership !== "not running") await ownership.release();
}

/** The address of a data folder's database if its server runs, also when another process started it; otherwise undefined. */
export async function findRunningPostgres(dataDir: string): Promise<string | undefined> {
  const access = await readAccess(dataDir);
  if (!access) return undefined;
  const sql = postgres(addressOf(access), { max: 1, connect_timeout: 4, onnotice: () => {} });
  try {
    await sql`SELECT 1`;
    return addressOf(access);
  } catch {
    return undefined;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function inUse(dataDir: string): string {
  return `Stopwatch already runs on the data folder ${dataDir}: stop it first, or set DATA_DIR to another folder.`;
}

/** The major version of the files of a data folder; "" when it has none. */
export async function readMajor(dataDir: string): Promise<string> {
  return (await readFile(join(dataDir, "postgres", "PG_VERSION"), "utf8").catch(() => "")).trim();
}

/** Where `npm run upgrade-database` makes the new data, in a data folder. It is a data folder itself. */
export const upgradingFolder = (dataDir: string) => join(dataDir, "upgrading");

/** Whether `npm run upgrade-database` was killed after it moved the old data away, and before it moved the new data there. */
export async function isBetweenMajors(dataDir: string): Promise<boolean> {
  return (await readMajor(dataDir)) === "" && (await readMajor(upgradingFolder(dataDir))) !== "";
}

async function assertNotBetween(dataDir: string) {
  if (await isBetweenMajors(dataDir))
    throw new SetupError(
      `npm run upgrade-database was killed in ${dataDir} while it put the new data in its place: run it again, which ends that.`,
    );
}

async function assertSameMajor(dataDir: string, home: PostgresHome) {
  const found = await readMajor(dataDir);
  const brought = await majorOf(home);
  if (found === "" || found === brought) return;
  if (!/^\d+$/.test(found))
    throw new SetupError(`PG_VERSION in ${home.cluster} is no version. ${damagedData(home.cluster)}`);
  const whatToDo = OLDER_MAJORS.includes(found)
    ? 'run "npm run upgrade-database", which copies it to a new one and keeps the old'
    : "run the version of Stopwatch that made it, or set DATABASE_URL to a PostgreSQL of your own";
  throw new SetupError(
    `The data in ${dataDir} is of PostgreSQL ${found}, and this version of Stopwatch brings ${brought}: ${whatToDo}.`,
  );
}

async function createDatabase(access: Access) {
  const sql = postgres(addressOf(access, "postgres"), { max: 1, onnotice: () => {} });
  try {
    const found = await sql`SELECT FROM pg_database WHERE datname = ${DATABASE}`;
    if (found.length === 0) await sql`CREATE DATABASE ${sql(DATABASE)}`;
  } finally {
    await sql.end({ timeout: 2 });
  }
}

async function stopAbandonedServer(home: PostgresHome, access: Access, dataDir: string) {
  if (!(await isServerRunning(home))) return;
  const ownership = await takeOwnership(addressOf(access, "postgres")).catch(() => "unreachable" as const);
  if (!ownership) throw new SetupError(inUse(dataDir));
  if (ownership !== "unreachable") await ownership.release();
  await stopServer(home);
}

async function readOrCreateAccess(dataDir: string, home: PostgresHome): Promise<Access> {
  const known = await readAccess(dataDir);
  if (known) return known;
  if (await hasCluster(home))
    throw new SetupError(
      `${dataDir}/postgres.json is missing, which has the password of ${home.cluster}: restore it, or remove both.`,
    );
  return makeAccess(dataDir);
}
