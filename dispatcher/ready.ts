import type { Logger } from "pino";
import type { Config } from "#config.ts";
import { assertSession } from "#db/assert-session.ts";
import { connect, DatabaseUnavailable } from "#db/client.ts";
import { assertKeyRingOpens } from "#db/queries/fleet/instance-secrets.ts";
import { assertMayMakePartitions } from "#db/queries/fleet/partition-rights.ts";
import { assertSchemaFits } from "#db/queries/fleet/schema-version.ts";
import { readServerVersion } from "#db/queries/fleet/server-version.ts";
import { securityNotice } from "#domain/postgres-releases.ts";
import { ALL_SETTINGS } from "./databases.ts";

const RETRY_MS = 1_000;

/**
 * Waits until the database answers, then checks that its address keeps sessions, that it is new enough, that this version
 * fits its schema, that its role has the rights that retention needs and that the key ring opens its secrets. Logs when
 * the server lacks security fixes. Throws when a check fails: an operator has to correct that.
 */
export async function untilReady(config: Config, log: Logger): Promise<void> {
  const connection = connect({ url: config.databaseDirectUrl, name: "stopwatch-start", connectionsMax: 1 });
  try {
    for (let waited = false; ; ) {
      try {
        await assertSession(config.databaseDirectUrl, ALL_SETTINGS);
        const server = await connection.run(4_000, async ({ sql }) => {
          const found = await readServerVersion(sql);
          await assertSchemaFits(sql);
          await assertMayMakePartitions(sql);
          await assertKeyRingOpens(sql, config.keyRing);
          return found;
        });
        const notice = securityNotice(server);
        if (notice) log.warn(notice);
        return;
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) throw error;
        if (!waited) log.warn("waiting for the database");
        waited = true;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  } finally {
    await connection.close();
  }
}
