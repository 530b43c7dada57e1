import { resolve } from "node:path";
import { processEnv, readConfig, readLauncherConfig } from "#config.ts";
import { noticesOf } from "#db/check-server.ts";
import { migrate } from "#db/migrate.ts";
import { assertKeyRingOpens } from "#db/queries/fleet/instance-secrets.ts";
import { generateEncryptionKey } from "#domain/cipher.ts";
import { aborted } from "../aborted.ts";
import { withCleanUp } from "../clean-up.ts";
import { readOrMakeKeys } from "../keys/keys.ts";
import { onDatabase } from "../on-database.ts";
import { listenablePortOrThrow } from "../ports.ts";
import { assertDataFolderFree, type EmbeddedPostgres, startEmbeddedPostgres } from "../postgres/embedded.ts";
import { migrateOwnDatabase } from "../postgres/migrate-own.ts";
import { findHold, holdIfRestored } from "../postgres/restored.ts";
import { SetupError } from "../setup-error.ts";
import { listenForStop, Stopped } from "../stop-signal.ts";
import { keepDatabase } from "./keep-database.ts";
import type { Kept } from "./keep-running.ts";
import { localUrl } from "./local-url.ts";
import { createPartOutput } from "./part-output.ts";
import { untilReady } from "./ready.ts";
import { makeSignInLink } from "./sign-in-link.ts";
import { type Part, type Supervisor, supervise } from "./supervisor.ts";
import { untilReachable } from "./until-reachable.ts";

export type Launch = {
  /** Whether to show all output of the parts, from the start. */
  verbose: boolean;
  /** How many dispatchers are to run, 1 by default. */
  dispatchers?: number;
  /** What to do before the parts start, after the migrations. */
  prepare?: (tools: { onLog: (line: string) => void; signal: AbortSignal }) => Promise<void>;
  /** The parts, in the order in which they are to be stopped. Each dispatcher has one of the ports. */
  parts: (
    env: Record<string, string | undefined>,
    web: { host: string; port: number },
    dispatcherPorts: readonly number[],
  ) => Part[];
};

/**
 * Runs everything on one machine (database, migrations, dispatcher, web) until a signal arrives. A part or a
 * database that ends by itself once all of it was ready is started again, five times within a minute at most. Stops what it
 * started in order: the dispatcher sends what it has claimed, and the database is last. Returns the exit code: 0 after a
 * signal, 1 when something was given up. Throws when it cannot start.
 */
export async function runAllParts(launch: Launch): Promise<number> {
  const config = readLauncherConfig();
  let database: EmbeddedPostgres | undefined;
  let kept: Kept | undefined;
  let parts: Supervisor | undefined;
  const signal = listenForStop(() => {
    parts?.kill();
    (kept ?? database)?.kill();
    process.exit(130);
  });

  const polling = new AbortController();

  const run = async () => {
    try {
      assertSettings(config);
      if (!config.databaseUrl) await assertDataFolderFree(config.dataDir);
      const port = await listenablePortOrThrow("PORT", config.host, config.port);
      const dispatcherPorts = await findDispatcherPorts(config, launch.dispatchers ?? 1);
      if (dispatcherPorts.includes(port))
        throw new SetupError(
          `The web part and a dispatcher would both listen on port ${port}: set PORT or DISPATCHER_PORT.`,
        );
      const keys = config.hasEncryptionKeys ? {} : await readOrMakeKeys(config.dataDir);
      if (!config.databaseUrl) {
        say(`the data is in ${resolve(config.dataDir)} (npm run backup -- FOLDER copies it)`);
        say("starting PostgreSQL");
        database = await startEmbeddedPostgres(config.dataDir);
      }
      signal.throwIfAborted();
      const options = { onLog: say, signal };
      const server = database
        ? await migrate(database.url, options)
        : await untilReachable(() => migrateOwnDatabase(config, options), options);
      if (database) await holdIfRestored(database.cluster, database.url);
      const held = await findHold(database?.url ?? (config.databaseDirectUrl as string));
      for (const notice of noticesOf(server, database && HOST_YOUR_OWN)) say(`warning: ${notice}`);
      const env = {
        ...processEnv(),
        ...keys,
        ...(database ? { DATABASE_URL: database.url, DATABASE_DIRECT_URL: database.url } : {}),
        // Not deleted: Next.js would read it from .env again.
        DATABASE_OWNER_URL: "",
        DATABASE_OWNER_URL_FILE: "",
        PORT: String(port),
        DISPATCHER_PORT: String(dispatcherPorts[0]),
        LOG_LEVEL: processEnv().LOG_LEVEL || (launch.verbose ? "info" : "warn"),
        NEXT_TELEMETRY_DISABLED: "1",
      };
      await onDatabase(database?.url ?? (config.databaseDirectUrl as string), { name: "stopwatch start" }, (sql) =>
        assertKeyRingOpens(sql, readConfig(env).keyRing),
      );
      await launch.prepare?.({ onLog: say, signal });
      signal.throwIfAborted();

      const dispatchers = dispatcherPorts.length === 1 ? "the dispatcher" : `${dispatcherPorts.length} dispatchers`;
      say(`starting ${dispatchers} and the web part`);
      const output = createPartOutput(launch);
      // A wrong setting ends a part at its first start, and does not become right by starting again.
      let wasReady = false;
      const mayRestart = () => wasReady;
      kept = database && keepDatabase(database, config.dataDir, { mayRestart, onLog: say });
      parts = supervise(launch.parts(env, { host: config.host, port }, dispatcherPorts), {
        onLine: output.write,
        onLog: say,
        mayRestart,
        ...(kept && { untilStartable: kept.running }),
      });
      const problem = Promise.race([parts.givenUp, ...(kept ? [kept.givenUp] : []), aborted(signal)]);

      // A part may have logged why it is not ready, such as a hold after a restore.
      const sayWhy = (line: string) => {
        output.flush();
        say(line);
      };
      const early = await Promise.race([
        untilReady(localUrl(config.host, port, held ? "/healthz" : "/readyz"), {
          onLog: sayWhy,
          signal: polling.signal,
        }),
        problem,
      ]);
      if (early === undefined) {
        wasReady = true;
        output.open();
        const address = config.port === port ? config.baseUrl : `http://localhost:${port}`;
        say(`ready: ${address}`);
        if (held) say(held);
        const link = await makeSignInLink(env, address);
        if (link) say(`sign in as ${link.email} within 15 minutes: ${link.url}`);
      } else {
        output.flush();
      }
      const found = early ?? (await problem);
      console.error(`${found} Stopping the rest.`);
      return 1;
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      say("stopping: the dispatcher finishes what it has begun (Ctrl-C again stops at once)");
      return 0;
    }
  };
  return withCleanUp(run, [() => polling.abort(), () => parts?.stop(), () => (kept ?? database)?.stop()]);
}

const HOST_YOUR_OWN = "npm has no newer one; to serve others, use your distribution's (docs/own-database.md)";

/** Throws a ConfigError when a part would refuse its settings. What this process makes for the parts may be missing. */
function assertSettings({ databaseUrl, hasEncryptionKeys }: ReturnType<typeof readLauncherConfig>) {
  readConfig({
    ...processEnv(),
    ...(databaseUrl ? {} : { DATABASE_URL: "postgres://localhost/embedded" }),
    ...(hasEncryptionKeys ? {} : { ENCRYPTION_KEYS: `made:${generateEncryptionKey()}` }),
  });
}

/** Returns DISPATCHER_PORT and the ports after it, or free ones if it is 0. */
async function findDispatcherPorts({ host, dispatcherPort: first }: Where, count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let n = 0; n < count; n++)
    ports.push(await listenablePortOrThrow("DISPATCHER_PORT", host, first === 0 ? 0 : first + n));
  return ports;
}

type Where = { host: string; dispatcherPort: number };

function say(line: string) {
  console.log(`stopwatch | ${line}`);
}
