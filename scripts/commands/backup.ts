import { copyFile, mkdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { readLauncherConfig } from "#config.ts";
import { checkCopy } from "../backup/check.ts";
import { copyCluster } from "../backup/copy-cluster.ts";
import { complete, makeTarget, removePartial, type Target, writeAbout } from "../backup/target.ts";
import { afterFailure } from "../clean-up.ts";
import { command, UsageError } from "../command.ts";
import { count } from "../count.ts";
import { type Access, readAccess, saveAccess } from "../postgres/access.ts";
import { totalRows } from "../postgres/compare-tables.ts";
import { findPostgresHome, mayEnter, type PostgresHome } from "../postgres/home.ts";
import { markAsBackup } from "../postgres/restored.ts";
import { hasCluster } from "../postgres/server.ts";
import { withEmbeddedPostgres } from "../postgres/with-embedded.ts";
import { createProgress } from "../progress.ts";
import { SetupError } from "../setup-error.ts";
import { listenForStop, Stopped } from "../stop-signal.ts";

const WITH_KEYS =
  "It has the database and keys.env: whoever has the folder can read all payloads and headers and sign deliveries. Keep it as you keep keys.env, or use --without-keys.";
const WITHOUT_KEYS =
  "It has the database and no keys: addresses, targets and times are readable in it, payloads, headers and secrets are not. It can be restored only together with a copy of your keys.";

await command<{ "without-keys"?: boolean }>({
  usage: `Usage: npm run backup -- FOLDER [--without-keys]

Copies the embedded database and keys.env to FOLDER, which must be empty or not exist, while npm start runs or while it does
not. The copy is recovered by a second PostgreSQL and its rows are compared before the command says that it is done; until
then it is in FOLDER.partial. Writing waits for some milliseconds once. The mails in mailbox/ are not copied.

Bring it back with "npm run restore -- FOLDER". Whoever has FOLDER can read all of it: it has the keys, too. With --without-keys
it has none: payloads, headers and secrets in it are sealed, and it is of no use without a copy of keys.env, which you keep
somewhere else and put into FOLDER before it is restored.`,
  options: { "without-keys": { type: "boolean" } },
  positionals: 1,
  async run({ "without-keys": withoutKeys = false }, [folder]) {
    if (folder === undefined) throw new UsageError("FOLDER is missing: npm run backup -- FOLDER");
    const { databaseUrl, dataDir } = readLauncherConfig();
    if (databaseUrl)
      throw new SetupError(
        "DATABASE_URL names a PostgreSQL of your own: back it up with its pg_basebackup or pg_dump. This command copies the embedded one.",
      );
    const access = await readAccess(dataDir);
    const home = access && (await findPostgresHome(dataDir));
    if (!access || !(await hasCluster(home as PostgresHome)))
      throw new SetupError(`There is no database in ${dataDir} yet: set DATA_DIR to the data folder.`);
    return backUp(folder, dataDir, { access, home: home as PostgresHome, withoutKeys });
  },
});

async function backUp(folder: string, dataDir: string, { access, home, withoutKeys }: Source): Promise<number> {
  const signal = listenForStop(() => process.exit(130));
  const target = await makeTarget(folder, { outside: [dataDir, home.cluster], home });
  try {
    if (home.user && !(await mayEnter(home.user, target.partial)))
      throw new SetupError(
        `${folder} cannot be entered by the user that PostgreSQL runs as (uid ${home.user.uid}): choose another folder.`,
      );
    const { rows, hasKeys } = await makeBackup(target, dataDir, { access, home, withoutKeys }, signal);
    console.log(`Done: ${target.folder} has ${count(rows)} rows, all of them checked.`);
    console.log(hasKeys ? WITH_KEYS : WITHOUT_KEYS);
    console.log(`To bring it back: npm run restore -- ${shown(target.folder)}`);
    return 0;
  } catch (error) {
    await afterFailure(() => removePartial(target.partial, home));
    if (!(error instanceof Stopped) && !signal.aborted) throw error;
    console.log("Stopped. Nothing was kept.");
    return 130;
  }
}

type Source = { access: Access; home: PostgresHome; withoutKeys: boolean };

/** Returns how many rows it has, and whether the keys are beside them. */
async function makeBackup(
  target: Target,
  dataDir: string,
  { access, home, withoutKeys }: Source,
  signal: AbortSignal,
): Promise<{ rows: number; hasKeys: boolean }> {
  const copy = { ...home, cluster: join(target.partial, "postgres") };
  await mkdir(copy.cluster, { mode: 0o700 });
  const progress = createProgress(process.stdout);
  const onProgress = (copied: number, total: number) =>
    progress.show(`${megabytes(copied)} of ${megabytes(total)} MB copied`);
  let takenAt = "";
  const counts = await withEmbeddedPostgres(dataDir, async (url) => {
    console.log(`copying ${home.cluster} to ${target.partial}`);
    const found = await copyCluster(
      url,
      { from: home.cluster, to: copy.cluster },
      { owner: home.user, onProgress, signal },
    );
    takenAt = new Date().toISOString();
    return found;
  }).finally(() => progress.end());
  const hasKeys = !withoutKeys && (await copyKeys(dataDir, target.partial));
  console.log("checking the copy with a second PostgreSQL");
  await saveAccess(target.partial, await checkCopy(copy, access, counts, signal));
  signal.throwIfAborted();
  await markAsBackup(copy.cluster, takenAt);
  const rows = totalRows(counts);
  await writeAbout(target.partial, { takenAt, rows });
  await complete(target);
  return { rows, hasKeys };
}

/** Copies keys.env; false where there is none. */
async function copyKeys(dataDir: string, to: string): Promise<boolean> {
  try {
    await copyFile(join(dataDir, "keys.env"), join(to, "keys.env"));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    console.log(`There is no keys.env in ${dataDir}: keep a copy of ENCRYPTION_KEYS yourself.`);
    return false;
  }
}

function megabytes(bytes: number): string {
  return count(bytes / 1_000_000);
}

/** A path as a shell takes it. */
function shown(path: string): string {
  const near = relative(process.cwd(), path);
  const short = near.startsWith("..") ? path : near;
  return /^[\w./-]+$/.test(short) ? short : `'${short.replaceAll("'", "'\\''")}'`;
}
