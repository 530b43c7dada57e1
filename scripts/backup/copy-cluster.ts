import { chown, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import postgres, { type Sql } from "postgres";
import { type Contents, countRows, listTables } from "../postgres/compare-tables.ts";
import { SetupError } from "../setup-error.ts";
import { type CopyOptions, copyOne, copyTree } from "./copy-tree.ts";

type Options = {
  owner: CopyOptions["owner"];
  onProgress: (copied: number, total: number) => void;
  signal: AbortSignal;
};

/**
 * Copies the files of a running server with the WAL that recovery needs, by PostgreSQL's low-level API
 * (https://www.postgresql.org/docs/18/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP). Returns the rows of each table
 * at the instant to which the copy recovers: nobody writes while the backup is ended, some milliseconds.
 */
export async function copyCluster(
  url: string,
  { from, to }: { from: string; to: string },
  { owner, onProgress, signal }: Options,
): Promise<Map<string, Contents>> {
  const open = () =>
    postgres(url, { max: 1, onnotice: () => {}, connection: { application_name: "stopwatch backup" } });
  const [backup, lock, snapshot] = [open(), open(), open()];
  const options = { owner, signal };
  try {
    if ((await readdir(join(from, "pg_tblspc"))).length > 0)
      throw new SetupError("This database has tablespaces, which npm run backup does not copy: use pg_basebackup.");
    // Keeps the WAL of the backup until this session ends.
    await backup`SELECT pg_create_physical_replication_slot(${`stopwatch_backup_${process.pid}`}, true, true)`;
    const [start] = await backup`SELECT pg_walfile_name(pg_backup_start('npm run backup', true)) AS wal`;
    const total = await bytesOf(from);
    let copied = 0;
    const onCopied = (bytes: number) => {
      copied += bytes;
      onProgress(copied, total);
    };
    await copyTree(from, to, { ...options, isLeftOut, onCopied });
    await copyOne(from, to, CONTROL, options);
    const { end, counts } = await endBackup({ backup, lock, snapshot }, signal);
    await writeFile(join(to, "backup_label"), end.labelfile, { mode: 0o600 });
    if (owner) await chown(join(to, "backup_label"), owner.uid, owner.gid);
    for (const folder of EMPTY) await makeOwn(join(to, folder), owner);
    await copyWal({ from, to }, [start?.wal, end.wal], options);
    return counts;
  } finally {
    await Promise.all([backup, lock, snapshot].map((sql) => sql.end({ timeout: 2 })));
  }
}

const CONTROL = join("global", "pg_control");
/** Folders whose content is of the running server only (the manual, "Backing Up the Data Directory"). */
const EMPTY = [
  "pg_wal",
  "pg_replslot",
  "pg_dynshmem",
  "pg_notify",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
];
const FILES = /^(postmaster\.(pid|opts)|pg_internal\.init.*|pgsql_tmp.*|server\.log|backup_label.*|.*\.signal)$/;

/** pg_control is copied last, as pg_basebackup does. */
function isLeftOut(path: string): boolean {
  const names = path.split(sep);
  return path === CONTROL || EMPTY.includes(names[0] as string) || FILES.test(names.at(-1) as string);
}

async function bytesOf(folder: string, below = ""): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(join(folder, below), { withFileTypes: true }).catch(() => [])) {
    const path = join(below, entry.name);
    if (isLeftOut(path)) continue;
    if (entry.isDirectory()) bytes += await bytesOf(folder, path);
    else
      bytes += await stat(join(folder, path))
        .then(({ size }) => size)
        .catch(() => 0);
  }
  return bytes;
}

async function makeOwn(folder: string, owner: Options["owner"]) {
  await mkdir(folder, { mode: 0o700 });
  if (owner) await chown(folder, owner.uid, owner.gid);
}

async function copyWal(
  { from, to }: { from: string; to: string },
  [first = "", last = ""]: [string | undefined, string],
  options: CopyOptions,
) {
  for (const name of await readdir(join(from, "pg_wal"))) {
    const isNeeded = /^[0-9A-F]{24}$/.test(name) && name >= first && name <= last;
    if (isNeeded || name.endsWith(".history")) await copyOne(from, to, join("pg_wal", name), options);
  }
}

const LOCKED_MS_MAX = 60_000;
const RETRY_MS = 500;

/** Ends the backup while nobody writes, and counts what is there then. Callers wait some milliseconds, 0.2 s at most. */
async function endBackup(
  { backup, lock, snapshot }: { backup: Sql; lock: Sql; snapshot: Sql },
  signal: AbortSignal,
): Promise<{ end: { labelfile: string; wal: string }; counts: Map<string, Contents> }> {
  const tables = await listTables(lock, { unlogged: false });
  await snapshot`SET idle_in_transaction_session_timeout = 0`;
  const until = performance.now() + LOCKED_MS_MAX;
  for (;;) {
    signal.throwIfAborted();
    await snapshot.unsafe("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    try {
      const end = await lock.begin(async (tx) => {
        // An autovacuum that is in the way is cancelled after deadlock_timeout.
        await tx`SELECT set_config('lock_timeout', '200ms', true), set_config('deadlock_timeout', '50ms', true)`;
        await tx.unsafe(`LOCK TABLE ${tables.map(({ name }) => name).join(", ")} IN SHARE MODE`);
        await snapshot`SELECT 1`;
        const [row] = await backup`SELECT labelfile, pg_walfile_name(lsn) AS wal FROM pg_backup_stop(false)`;
        return row as { labelfile: string; wal: string };
      });
      const counts = await countRows(snapshot, tables, { signal });
      await snapshot.unsafe("COMMIT");
      return { end, counts };
    } catch (error) {
      await snapshot.unsafe("ROLLBACK");
      if ((error as { code?: string }).code !== "55P03") throw error;
      if (performance.now() > until)
        throw new SetupError(
          "A transaction has kept a table locked for a minute: end it, and run npm run backup again.",
        );
      await wait(RETRY_MS, undefined, { signal });
    }
  }
}
