import { readLauncherConfig } from "#config.ts";
import { migrate } from "#db/migrate.ts";
import { securityNotice } from "#domain/postgres-releases.ts";
import { command } from "../command.ts";
import { migrateOwnDatabase } from "../postgres/migrate-own.ts";
import { withEmbeddedPostgres } from "../postgres/with-embedded.ts";

await command<Record<string, never>>({
  usage: `Usage: npm run migrate

Migrates the database to this version's schema: that of DATABASE_DIRECT_URL or DATABASE_URL, otherwise the embedded
one. Several processes may do so at once.

With DATABASE_OWNER_URL it migrates as that role, and grants the role of DATABASE_URL what the service needs: the rows
of its tables, and the audit log to read and to add to.`,
  options: {},
  async run() {
    const { dataDir, ...addresses } = readLauncherConfig();
    const onLog = console.log;
    const server =
      (addresses.databaseDirectUrl ?? addresses.databaseOwnerUrl)
        ? await migrateOwnDatabase(addresses, onLog)
        : await withEmbeddedPostgres(dataDir, (url) => migrate(url, { onLog }));
    console.log("The schema is up to date.");
    const notice = securityNotice(server);
    if (notice) console.log(`warning: ${notice}.`);
    return 0;
  },
});
