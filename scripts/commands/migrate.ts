import { readLauncherConfig } from "#config.ts";
import { noticesOf } from "#db/check-server.ts";
import { migrate } from "#db/migrate.ts";
import { describeDurationProblem, parseDuration } from "#domain/duration.ts";
import { command, UsageError } from "../command.ts";
import { migrateOwnDatabase } from "../postgres/migrate-own.ts";
import { withEmbeddedPostgres } from "../postgres/with-embedded.ts";
import { listenForStop, Stopped } from "../stop-signal.ts";

await command<{ wait?: string }>({
  usage: `Usage: npm run migrate -- [--wait 10m]

Migrates the database to this version's schema: that of DATABASE_DIRECT_URL or DATABASE_URL, otherwise the embedded
one. The service may work meanwhile, and several processes may migrate at once. Stopped anywhere, it continues when it
is run again.

  --wait   how long each migration may wait for other transactions, 10m by default. It says for which

With DATABASE_OWNER_URL it migrates as that role, and grants the role of DATABASE_URL what the service needs: the rows
of its tables, and the audit log to read and to add to.`,
  options: { wait: { type: "string" } },
  async run({ wait }) {
    const { dataDir, ...addresses } = readLauncherConfig();
    const signal = listenForStop(() => process.exit(130));
    const options = { onLog: console.log, signal, ...(wait !== undefined && { waitMs: readWait(wait) }) };
    try {
      const server =
        (addresses.databaseDirectUrl ?? addresses.databaseOwnerUrl)
          ? await migrateOwnDatabase(addresses, options)
          : await withEmbeddedPostgres(dataDir, (url) => migrate(url, options));
      console.log("The schema is up to date.");
      for (const notice of noticesOf(server)) console.log(`warning: ${notice}.`);
      return 0;
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      console.log("Stopped. What is applied stays: run it again to continue.");
      return 130;
    }
  },
});

function readWait(text: string): number {
  const ms = parseDuration(text);
  if (ms === null) throw new UsageError(`--wait ${describeDurationProblem(text)}`);
  return ms;
}
