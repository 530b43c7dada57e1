import type { KeyObject } from "node:crypto";
import { type Config, readConfig } from "#config.ts";
import { connect } from "#db/client.ts";
import { connectOrm, type OrmConnection } from "#db/orm.ts";
import { assertKeyRingOpens, readRequestHashKey } from "#db/queries/instance-secrets.ts";
import { assertSchemaFits } from "#db/queries/schema-version.ts";
import { createLog, type Logger } from "./log.ts";
import { createRateLimits, type RateLimits } from "./rate-limit/rate-limits.ts";

/** What the web process has one of. */
export type Services = {
  config: Config;
  connection: OrmConnection;
  log: Logger;
  rateLimits: RateLimits;
  /**
   * Checks once that schema and key ring fit the database; nothing is served before. Throws DatabaseUnavailable while
   * the database is away (the next call tries again) and an InstallationError when a person has to mend something.
   */
  installation(): Promise<Installation>;
  close(): Promise<void>;
};

export type Installation = { requestHashKey: KeyObject };

/** Time the database has for one request, ms, so that a caller has an answer within 5 s. */
export const DATABASE_BUDGET_MS = 4_000;

/** The services of this process, made from its settings when they are first needed. */
export function services(): Services {
  held ??= createServices(readConfig());
  return held;
}

/** Makes services from `config` and has `services()` answer them; the former ones are not closed. */
export function startServices(config: Config): Services {
  held = createServices(config);
  return held;
}

// Not on globalThis: Next.js loads this module once for routes, once for pages and once for the start, each with error
// classes of its own, and a connection of one would throw what the others do not recognise.
let held: Services | undefined;

const CONNECTIONS_MAX = 10;

function createServices(config: Config): Services {
  const log = createLog(config.logLevel);
  // A pooler keeps neither prepared statements nor settings of a session.
  const isPooled = config.databaseUrl !== config.databaseDirectUrl;
  const settings = { url: config.databaseUrl, prepare: !isPooled, session: isPooled ? {} : SESSION };
  const connection = connectOrm({ ...settings, name: "stopwatch web", connectionsMax: CONNECTIONS_MAX });
  // Its own, since it is when the others are all busy that calls have to be counted.
  const rateLimits = createRateLimits(connect({ ...settings, name: "stopwatch web counts", connectionsMax: 1 }), log);

  let checked: Promise<Installation> | undefined;
  return {
    config,
    connection,
    log,
    rateLimits,
    installation() {
      checked ??= connection
        .run(DATABASE_BUDGET_MS, async ({ sql }) => {
          await assertSchemaFits(sql);
          await assertKeyRingOpens(sql, config.keyRing);
          return { requestHashKey: await readRequestHashKey(sql, config.keyRing) };
        })
        .catch((error) => {
          checked = undefined;
          throw error;
        });
      return checked;
    },
    async close() {
      await Promise.all([connection.close(), rateLimits.close()]);
    },
  };
}

// Shorter than the budget: the server gives up before we drop the connection.
const SESSION = {
  statement_timeout: 3_500,
  lock_timeout: 3_000,
  idle_in_transaction_session_timeout: 5_000,
  tcp_user_timeout: 3_000,
};
