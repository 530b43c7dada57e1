import { lstat, readlink, realpath, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { flush } from "../backup/copy-tree.ts";
import { upgradingFolder } from "../postgres/embedded.ts";
import { findPostgresHome } from "../postgres/home.ts";
import { OLDER_MAJORS } from "../postgres/releases.ts";
import { markAsBackup } from "../postgres/restored.ts";
import { isServerRunning, stopServer } from "../postgres/server.ts";
import { SetupError } from "../setup-error.ts";

/** Where the data of an older major is kept in a data folder. */
export const oldCluster = (dataDir: string, major: string) => join(dataDir, `postgres-${major}`);

const isThere = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** Throws a SetupError when the place where the old data is kept is taken. */
export async function assertPlaceFree(dataDir: string, major: string) {
  const place = oldCluster(dataDir, major);
  if (await isThere(place))
    throw new SetupError(`${place} is in the way, where the old data is to be kept: move it away first.`);
}

/** Moves the old data away and the new data in its place; both servers must be stopped. Killed in between, `finishSwap` does the rest. */
export async function swapClusters(dataDir: string, major: string): Promise<void> {
  const [place, old] = [join(dataDir, "postgres"), oldCluster(dataDir, major)];
  await rename(place, old);
  if (await isThere(join(old, "postmaster.pid"))) {
    await rename(old, place);
    throw new SetupError(`Stopwatch was started on ${dataDir} meanwhile: stop it, and run this again.`);
  }
  await flush(dataDir);
  await finishSwap(dataDir);
}

/**
 * Moves the new data to the place that the old data has left. The old data is marked as a backup, so that nobody sends from it
 * without a question what was sent from the new one.
 */
export async function finishSwap(dataDir: string): Promise<void> {
  for (const major of OLDER_MAJORS) {
    const old = oldCluster(dataDir, major);
    if (await isThere(old)) await markAsBackup(old, new Date().toISOString());
  }
  await rename(join(upgradingFolder(dataDir), "postgres"), join(dataDir, "postgres"));
  await flush(dataDir);
  await removeUpgrading(dataDir);
}

/** Removes what an upgrade has made so far, and stops the server that a killed one has left in it. */
export async function removeUpgrading(dataDir: string): Promise<void> {
  const folder = upgradingFolder(dataDir);
  const cluster = join(folder, "postgres");
  if (await isThere(cluster)) {
    const home = await findPostgresHome(folder);
    if (await isServerRunning(home)) await stopServer(home);
  }
  // A folder elsewhere, where PostgreSQL's user cannot enter the data folder (findPostgresHome).
  const linked = await readlink(cluster).catch(() => undefined);
  if (linked !== undefined) await rm(dirname(linked), { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
}

/** The folders that hold the old data, to be removed together. */
export async function oldFolders(dataDir: string): Promise<string[]> {
  for (const major of [...OLDER_MAJORS].reverse()) {
    const old = oldCluster(dataDir, major);
    if (await isThere(old)) return [...new Set([old, await realpath(old)])];
  }
  return [];
}
