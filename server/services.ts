import type { KeyObject } from "node:crypto";
import { type Config, readConfig } from "#config.ts";
import { connect } from "#db/client.ts";
import { connectOrm, type OrmConnection } from "#db/orm.ts";
import { assertKeyRingOpens, readAuthSecret, readRequestHashKey } from "#db/queries/fleet/instance-secrets.ts";
import { assertSchemaFits } from "#db/queries/fleet/schema-version.ts";
import type { Mailer } from "#mail/mail.ts";
import { createMailer } from "#mail/mailer.ts";
import { createLog, type Logger } from "./log.ts";
import { createRateLimits, type RateLimits } from "./rate-limit/rate-limiter.ts";
import { createReadTurns, type ReadTurns } from "./read-turns.ts";

/** What the web process has one of. */
export type Services = {
  config: Config;
  /** For what is short, and for writes. */
  connection: OrmConnection;
  /** For what accounts read, each in a turn of `readTurns`. */
  reads: OrmConnection;
  readTurns: ReadTurns;
  log: Logger;
  rateLimits: RateLimits;
  mailer: Mailer;
  /**
   * Checks once that schema and key ring fit the database; nothing is served before. Throws DatabaseUnavailable while
   * the database is away (the next call tries again) and an InstallationError when a person has to mend something.
   */
  installation(): Promise<Installation>;
  close(): Promise<void>;
};

export type Installation = {
  requestHashKey: KeyObject;
  /** What magic links and OAuth are bound with. */
  authSecret: string;
};

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
/** One for each turn at reading: a read never waits in the driver, behind another. */
const READS_MAX = 6;
const READS_PER_ACCOUNT_MAX = 2;

function createServices(config: Config): Services {
  const log = createLog(config.logLevel);
  // A pooler keeps neither prepared statements nor settings of a session.
  const isPooled = config.databaseUrl !== config.databaseDirectUrl;
  const settings = { url: config.databaseUrl, prepare: !isPooled, session: isPooled ? {} : SESSION };
  const shared = { ...settings, cancelsLate: true };
  const connection = connectOrm({ ...shared, name: "stopwatch web", connectionsMax: CONNECTIONS_MAX });
  const reads = connectOrm({ ...shared, name: "stopwatch web reads", connectionsMax: READS_MAX });
  // Its own, since it is when the others are all busy that calls have to be counted.
  const rateLimits = createRateLimits(connect({ ...settings, name: "stopwatch web counts", connectionsMax: 1 }), log);

  let checked: Promise<Installation> | undefined;
  return {
    config,
    connection,
    reads,
    readTurns: createReadTurns({ max: READS_MAX, perAccountMax: READS_PER_ACCOUNT_MAX }),
    log,
    rateLimits,
    mailer: createMailer(config.mail, { onWritten: (line) => log.warn(line) }),
    installation() {
      checked ??= connection
        .run(DATABASE_BUDGET_MS, async ({ sql }) => {
          await assertSchemaFits(sql);
          await assertKeyRingOpens(sql, config.keyRing);
          return {
            requestHashKey: await readRequestHashKey(sql, config.keyRing),
            authSecret: config.authSecret ?? (await readAuthSecret(sql, config.keyRing)),
          };
        })
        .catch((error) => {
          checked = undefined;
          throw error;
        });
      return checked;
    },
    async close() {
      await Promise.all([connection.close(), reads.close(), rateLimits.close()]);
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
