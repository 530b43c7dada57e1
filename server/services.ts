import type { KeyObject } from "node:crypto";
import { type Config, readConfig } from "#config.ts";
import { type CheckedServer, checkServer } from "#db/check-server.ts";
import { connect, type DatabaseUnavailable } from "#db/client.ts";
import { connectOrm, type OrmDatabase } from "#db/orm.ts";
import { type RefusedCredential, recordRefusedCredential } from "#db/queries/accounts/security-events.ts";
import { assertKeyRingOpens, readAuthSecret, readRequestHashKey } from "#db/queries/fleet/instance-secrets.ts";
import { assertSchemaFits } from "#db/queries/fleet/schema-version.ts";
import { DIRECT_SESSION, POOLED_SESSION } from "#db/sessions.ts";
import { DATABASE_FAULTS, type DatabaseFault } from "#domain/database-fault.ts";
import type { Mailer } from "#mail/mail.ts";
import { createMailer } from "#mail/mailer.ts";
import { createRateLimiter, type RateLimiter } from "./counters/rate-limiter.ts";
import { GroupedRecords } from "./grouped-records.ts";
import { createLog, type Logger } from "./log.ts";
import { createReadTurns, type ReadTurns } from "./read-turns.ts";
import { type OnRefusedTarget, recordRefusedTargets } from "./refused-targets.ts";

/** The singletons of the web process. */
export type Services = {
  config: Config;
  /** How many calls the database could not serve, by the kind of fault. */
  databaseErrors: Record<DatabaseFault, number>;
  /** Whether a pooler in transaction mode is before the database. */
  isPooled: boolean;
  /** For writes and short reads. */
  database: OrmDatabase;
  /**
   * For callers who have no credential, or one that this process has not accepted before: sign-in, look-ups of unknown
   * credentials and public figures. They can occupy no other connection.
   */
  anonymous: OrmDatabase;
  /** For accounts' lists and figures; each read takes a turn of `readTurns`. */
  reads: OrmDatabase;
  readTurns: ReadTurns;
  log: Logger;
  rateLimiter: RateLimiter;
  mailer: Mailer;
  /** Records refused credentials in the security log of their account. */
  refusals: GroupedRecords<RefusedCredential>;
  onRefusedTarget: OnRefusedTarget;
  /**
   * Checks once that the server fits (`checkServer`; DATABASE_DIRECT_URL says that there is a pooler), that it has the right
   * schema version and that the key ring can decrypt its secrets; requests are served only after that. Throws DatabaseUnavailable while the database is unavailable (the next call tries again)
   * and InstallationError when an operator has to fix the installation.
   */
  installation(): Promise<Installation>;
  close(): Promise<void>;
};

export type Installation = {
  requestHashKey: KeyObject;
  /** Key for signing magic links and OAuth state. */
  authSecret: string;
  server: CheckedServer;
};

/** Time budget of one request for the database, ms: the caller gets a response within 5 s. */
export const DATABASE_BUDGET_MS = 4_000;

/** The services of this process, created from the environment on first use. */
export function getServices(): Services {
  kept[SERVICES] ??= createServices(readConfig());
  return kept[SERVICES];
}

/** Creates services from `config` for `getServices()` to return; does not close former ones. */
export function startServices(config: Config): Services {
  kept[SERVICES] = createServices(config);
  return kept[SERVICES];
}

// On globalThis, since Next.js loads this module three times: for routes, pages and instrumentation.
const SERVICES = Symbol.for("stopwatch.services");
const kept = globalThis as { [SERVICES]?: Services };

/** Calls `make` once for each services object; in a process of tests there may be several. */
export function perServices<T>(make: (services: Services) => T): () => T {
  const made = new WeakMap<Services, { it: T }>();
  return () => {
    const services = getServices();
    const known = made.get(services) ?? { it: make(services) };
    made.set(services, known);
    return known.it;
  };
}

const READS_PER_ACCOUNT_MAX = 2;

function createServices(config: Config): Services {
  const log = createLog(config.logLevel);
  // A pooler in transaction mode supports neither prepared statements nor session settings.
  const isPooled = config.databaseUrl !== config.databaseDirectUrl;
  const databaseErrors = Object.fromEntries(DATABASE_FAULTS.map((fault) => [fault, 0])) as Services["databaseErrors"];
  const onFailed = ({ fault }: DatabaseUnavailable) => {
    databaseErrors[fault]++;
  };
  const session = isPooled ? { ...POOLED_SESSION } : { ...SESSION };
  const { writes, reads: ofReads, anonymous: ofAnonymous } = config.webConnections;
  const settings = {
    url: config.databaseUrl,
    prepare: !isPooled,
    session,
    idleSeconds: config.webIdleSeconds,
    waitsWhenRefused: true,
    onFailed,
  };
  const shared = { ...settings, cancelsLate: true };
  const database = connectOrm({ ...shared, name: "stopwatch web", connectionsMax: writes });
  const anonymous = connectOrm({ ...shared, name: "stopwatch web anonymous", connectionsMax: ofAnonymous });
  const reads = connectOrm({ ...shared, name: "stopwatch web reads", connectionsMax: ofReads });
  // A connection of its own: requests must be counted while all others are busy.
  const rateLimiter = createRateLimiter(connect({ ...settings, name: "stopwatch web counts", connectionsMax: 1 }), log);

  const refusals = new GroupedRecords<RefusedCredential>(
    ({ subjectId }) => subjectId,
    (refused, times) =>
      database
        .run(DATABASE_BUDGET_MS, ({ db }) => recordRefusedCredential(db, refused, times))
        .catch((error) => log.warn({ err: error }, "a refused credential was not recorded")),
  );

  let checked: Promise<Installation> | undefined;
  return {
    config,
    databaseErrors,
    isPooled,
    database,
    anonymous,
    reads,
    // One connection per read turn: no read queues in the driver.
    readTurns: createReadTurns({ max: ofReads, perAccountMax: Math.min(ofReads, READS_PER_ACCOUNT_MAX) }),
    log,
    rateLimiter,
    refusals,
    onRefusedTarget: recordRefusedTargets(log),
    mailer: createMailer(config.mail, { onWritten: (line) => log.warn(line) }),
    installation() {
      checked ??= checkServer(config.databaseUrl, session, { isPooled })
        .then((server) => {
          // No pool is open yet.
          Object.assign(session, server.session);
          return database.run(DATABASE_BUDGET_MS, async ({ sql }) => {
            await assertSchemaFits(sql);
            await assertKeyRingOpens(sql, config.keyRing);
            return {
              server,
              requestHashKey: await readRequestHashKey(sql, config.keyRing),
              authSecret: config.authSecret ?? (await readAuthSecret(sql, config.keyRing)),
            };
          });
        })
        .catch((error) => {
          checked = undefined;
          throw error;
        });
      return checked;
    },
    async close() {
      await Promise.all([database.close(), anonymous.close(), reads.close(), rateLimiter.close()]);
    },
  };
}

// Shorter than the budget, so that the server cancels a statement before the client drops the connection.
const SESSION = {
  ...DIRECT_SESSION,
  statement_timeout: 3_500,
  lock_timeout: 3_000,
  idle_in_transaction_session_timeout: 5_000,
  tcp_user_timeout: 3_000,
};
