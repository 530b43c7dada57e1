import type { Logger } from "pino";
import type { Config } from "#config.ts";
import { checkServer, noticesOf } from "#db/check-server.ts";
import { connect, DatabaseUnavailable } from "#db/client.ts";
import { assertKeyRingOpens } from "#db/queries/fleet/instance-secrets.ts";
import { assertMayMakePartitions } from "#db/queries/fleet/partition-rights.ts";
import { assertSchemaFits } from "#db/queries/fleet/schema-version.ts";
import { ALL_SETTINGS } from "./databases.ts";

const RETRY_MS = 1_000;

/**
 * Waits until the database answers, then checks the server (`checkServer`), that this version fits its schema, that its role
 * has the rights that retention needs and that the key ring opens its secrets. Logs what an operator should know of the
 * server. Returns with which settings further sessions have to begin. Throws when a check fails: an operator has to correct
 * that. `onWaiting` is called with the reason of each try that the database did not answer.
 */
export async function untilReady(
  config: Config,
  log: Logger,
  onWaiting: (reason: string) => void = () => {},
): Promise<Record<string, string>> {
  const connection = connect({ url: config.databaseDirectUrl, name: "stopwatch-start", connectionsMax: 1 });
  try {
    for (let said: string | undefined; ; ) {
      try {
        const server = await checkServer(config.databaseDirectUrl, ALL_SETTINGS);
        await connection.run(4_000, async ({ sql }) => {
          await assertSchemaFits(sql);
          await assertMayMakePartitions(sql);
          await assertKeyRingOpens(sql, config.keyRing);
        });
        for (const notice of noticesOf(server)) log.warn(notice);
        return server.session;
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) throw error;
        const { fault, reason } = error;
        if (reason !== said) log.warn({ fault, reason }, "waiting for the database");
        said = reason;
        onWaiting(reason);
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  } finally {
    await connection.close();
  }
}
