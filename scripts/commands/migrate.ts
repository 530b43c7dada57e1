import { readLauncherConfig } from "#config.ts";
import { migrate } from "#db/migrate.ts";
import { command } from "../command.ts";
import { withEmbeddedPostgres } from "../postgres/with-embedded.ts";

await command<Record<string, never>>({
  usage: `Usage: npm run migrate

Migrates the database to this version's schema: that of DATABASE_DIRECT_URL or DATABASE_URL, otherwise the embedded
one. Several processes may do so at once.`,
  options: {},
  async run() {
    const { databaseDirectUrl, dataDir } = readLauncherConfig();
    if (databaseDirectUrl) await migrate(databaseDirectUrl, { onLog: console.log });
    else await withEmbeddedPostgres(dataDir, (url) => migrate(url, { onLog: console.log }));
    console.log("The database is up to date.");
    return 0;
  },
});
