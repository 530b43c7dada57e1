import { copyFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readLauncherConfig } from "#config.ts";
import { copyTree, flush } from "../backup/copy-tree.ts";
import { complete, makeTarget, readAboutOrThrow, removePartial } from "../backup/target.ts";
import { afterFailure } from "../clean-up.ts";
import { command, UsageError } from "../command.ts";
import { freePort } from "../ports.ts";
import { type Access, readAccess, saveAccess } from "../postgres/access.ts";
import { findPostgresHome } from "../postgres/home.ts";
import { SetupError } from "../setup-error.ts";
import { listenForStop, Stopped } from "../stop-signal.ts";

await command<Record<string, never>>({
  usage: `Usage: npm run restore -- FOLDER

Copies a backup of "npm run backup" to the data folder (DATA_DIR, .data by default), which must be empty or not exist: move
the old one away first. FOLDER stays as it is. If something is due in it, "npm start" sends nothing until you choose with
"npm run reconcile", because it may have been sent after the backup was made.`,
  options: {},
  positionals: 1,
  async run(_, [given]) {
    if (given === undefined) throw new UsageError("FOLDER is missing: npm run restore -- FOLDER");
    const { databaseUrl, dataDir } = readLauncherConfig();
    if (databaseUrl)
      throw new SetupError("DATABASE_URL names a PostgreSQL of your own: this command restores the embedded one.");
    const folder = resolve(given);
    const { takenAt, rows } = await readAboutOrThrow(folder);
    const signal = listenForStop(() => process.exit(130));
    const home = await findPostgresHome(folder);
    const target = await makeTarget(dataDir, { outside: [folder], home });
    try {
      const { cluster, user } = await findPostgresHome(target.partial);
      await copyTree(join(folder, "postgres"), cluster, { owner: user, durable: true, signal });
      const hasKeys = await copyFile(join(folder, "keys.env"), join(target.partial, "keys.env")).then(
        () => true,
        (error) => {
          if (error.code !== "ENOENT") throw error;
          return false;
        },
      );
      const { password } = (await readAccess(folder)) as Access;
      await saveAccess(target.partial, { port: await freePort(), password });
      for (const name of ["postgres.json", ...(hasKeys ? ["keys.env"] : [])]) await flush(join(target.partial, name));
      signal.throwIfAborted();
      await complete(target);
      if (!hasKeys)
        console.log(`The backup has no keys: put your copy of keys.env into ${target.folder}, or set ENCRYPTION_KEYS.`);
    } catch (error) {
      await afterFailure(() => removePartial(target.partial, home));
      if (!(error instanceof Stopped)) throw error;
      console.log("Stopped. Nothing was kept.");
      return 130;
    }
    console.log(`Restored the backup of ${takenAt}, ${rows?.toLocaleString("en-US")} rows, to ${target.folder}.`);
    console.log(
      'Stop what still sends from the former database, run "npm start", and choose with "npm run reconcile".',
    );
    return 0;
  },
});
