import { statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { migrate } from "#db/migrate.ts";
import { aborted } from "../aborted.ts";
import { afterFailure, withCleanUp } from "../clean-up.ts";
import { count } from "../count.ts";
import { makeDataFolder } from "../data-folder.ts";
import { onDatabase } from "../on-database.ts";
import { freePort } from "../ports.ts";
import { type Access, readAccess, saveAccess } from "../postgres/access.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres, upgradingFolder } from "../postgres/embedded.ts";
import { installRelease } from "../postgres/releases.ts";
import { holdIfRestored } from "../postgres/restored.ts";
import { createProgress } from "../progress.ts";
import { SetupError } from "../setup-error.ts";
import { copyDatabase } from "./copy-database.ts";
import { removeUpgrading, swapClusters } from "./swap-clusters.ts";

type Options = { onLog: (line: string) => void; signal: AbortSignal };

/**
 * Copies the embedded database of an older major to a new one, compares all rows, and puts it in the place of the old one.
 * Returns how many rows and tables it has. Killed anywhere, either of the two is whole (`isBetweenMajors`). Throws a SetupError
 * when it cannot be done, and the signal's reason.
 */
export async function upgradeDataFolder(
  dataDir: string,
  major: string,
  { onLog, signal }: Options,
): Promise<{ rows: number; tables: number }> {
  const programs = await installRelease(major);
  signal.throwIfAborted();
  onLog(`starting PostgreSQL ${major} on ${resolve(dataDir)}`);
  await prepareOld(dataDir, programs, { onLog, signal });
  const progress = createProgress(process.stdout);
  // Read-only: what another program stored in it now would be lost.
  const old = await startEmbeddedPostgres(dataDir, { programs, settings: { default_transaction_read_only: "on" } });
  let made: EmbeddedPostgres | undefined;
  const copy = async () => {
    await removeUpgrading(dataDir);
    made = await makeNew(dataDir, signal);
    const copying = copyDatabase(old.url, made.url, { onProgress: progress.show, signal });
    const done = await Promise.race([copying, aborted(signal)]);
    await made.stop();
    return done;
  };
  const copyOrRemove = () =>
    copy().catch(async (error) => {
      await afterFailure(
        () => made?.stop(),
        () => removeUpgrading(dataDir),
      );
      throw error;
    });
  const copied = await withCleanUp(copyOrRemove, [() => progress.end(), () => old.stop()]);
  await swapClusters(dataDir, major);
  return copied;
}

/** Settings of the new server while it is filled: nobody else uses it, and its files are on disk when it has stopped. */
const FILLING = {
  wal_level: "minimal",
  max_wal_senders: "0",
  max_wal_size: "256MB",
  autovacuum: "off",
  maintenance_work_mem: "256MB",
};
/** The empty cluster, and its WAL, bytes. */
const EXTRA_BYTES = 512_000_000;

/** Brings the old database to this version's schema, and holds it if it is a backup that nobody has started yet. */
async function prepareOld(dataDir: string, programs: string, options: Options) {
  const old = await startEmbeddedPostgres(dataDir, { programs });
  const prepare = async () => {
    await migrate(old.url, options);
    await holdIfRestored(old.cluster, old.url);
    const [row] = await onDatabase(
      old.url,
      { name: "stopwatch upgrade-database" },
      (sql) => sql`SELECT pg_database_size(current_database())::float8 AS bytes`,
    );
    await assertRoom(dirname(old.cluster), row?.bytes + EXTRA_BYTES);
  };
  await withCleanUp(prepare, [() => old.stop()]);
}

async function assertRoom(folder: string, bytes: number) {
  const { bavail, bsize } = await statfs(folder);
  const megabytes = (n: number) => count(Math.ceil(n / 1_000_000));
  if (bavail * bsize < bytes)
    throw new SetupError(
      `The disk of ${folder} has ${megabytes(bavail * bsize)} MB of room, and a second copy of the data needs ${megabytes(bytes)} MB: make room first.`,
    );
}

/** An empty database of this version, with the password of the old one. */
async function makeNew(dataDir: string, signal: AbortSignal): Promise<EmbeddedPostgres> {
  const folder = upgradingFolder(dataDir);
  await makeDataFolder(folder);
  const { password } = (await readAccess(dataDir)) as Access;
  await saveAccess(folder, { port: await freePort(), password });
  const made = await startEmbeddedPostgres(folder, { settings: FILLING });
  try {
    await migrate(made.url, { signal });
    return made;
  } catch (error) {
    await made.stop();
    throw error;
  }
}
