import { processEnv, readLauncherConfig } from "#config.ts";
import { migrate } from "#db/migrate.ts";
import { securityNotice } from "#domain/postgres-releases.ts";
import { aborted } from "../aborted.ts";
import { readOrMakeKeys } from "../keys/keys.ts";
import { listenablePortOrThrow } from "../ports.ts";
import { assertDataFolderFree, type EmbeddedPostgres, startEmbeddedPostgres } from "../postgres/embedded.ts";
import { migrateOwnDatabase } from "../postgres/migrate-own.ts";
import { listenForStop, Stopped } from "../stop-signal.ts";
import { createPartOutput } from "./part-output.ts";
import { untilReady } from "./ready.ts";
import { makeSignInLink } from "./sign-in-link.ts";
import { type Part, type Supervisor, supervise } from "./supervisor.ts";

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
 * Runs everything on one machine (database, migrations, dispatcher, web) until a signal arrives or a part ends. Stops
 * what it started in order: the dispatcher sends what it has claimed, and the database is last. Returns the exit code:
 * 0 after a signal, 1 when a part ended by itself. Throws when it cannot start.
 */
export async function runAllParts(launch: Launch): Promise<number> {
  const config = readLauncherConfig();
  let database: EmbeddedPostgres | undefined;
  let parts: Supervisor | undefined;
  const signal = listenForStop(() => {
    parts?.kill();
    database?.kill();
    process.exit(130);
  });

  const polling = new AbortController();
  // A closed terminal must not keep this process from stopping the parts in order.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

  try {
    if (!config.databaseUrl) await assertDataFolderFree(config.dataDir);
    const port = await listenablePortOrThrow("PORT", config.host, config.port);
    const dispatcherPorts = await findDispatcherPorts(config.dispatcherPort, launch.dispatchers ?? 1);
    const keys = config.hasEncryptionKeys ? {} : await readOrMakeKeys(config.dataDir);
    if (!config.databaseUrl) {
      say(`starting PostgreSQL in ${config.dataDir}`);
      database = await startEmbeddedPostgres(config.dataDir);
    }
    signal.throwIfAborted();
    const options = { onLog: say, signal };
    const server = database ? await migrate(database.url, options) : await migrateOwnDatabase(config, options);
    const notice = securityNotice(server, database && HOST_YOUR_OWN);
    if (notice) say(`warning: ${notice}`);
    await launch.prepare?.({ onLog: say, signal });
    signal.throwIfAborted();

    const dispatchers = dispatcherPorts.length === 1 ? "the dispatcher" : `${dispatcherPorts.length} dispatchers`;
    say(`starting ${dispatchers} and the web part`);
    const env = {
      ...processEnv(),
      ...keys,
      ...(database ? { DATABASE_URL: database.url, DATABASE_DIRECT_URL: database.url } : {}),
      // Not deleted: Next.js would read it from .env again.
      DATABASE_OWNER_URL: "",
      PORT: String(port),
      DISPATCHER_PORT: String(dispatcherPorts[0]),
      LOG_LEVEL: processEnv().LOG_LEVEL || (launch.verbose ? "info" : "warn"),
      NEXT_TELEMETRY_DISABLED: "1",
    };
    const output = createPartOutput(launch);
    parts = supervise(launch.parts(env, { host: config.host, port }, dispatcherPorts), output.write);
    const problem = Promise.race([
      parts.ended.then(({ name, how }) => `The ${name} ended unexpectedly (${how}).`),
      database?.lost.then(() => "PostgreSQL ended unexpectedly.") ?? new Promise<never>(() => {}),
      aborted(signal),
    ]);

    // A part may have logged why it is not ready, such as a hold after a restore.
    const sayWhy = (line: string) => {
      output.flush();
      say(line);
    };
    const early = await Promise.race([
      untilReady(readyUrl(config.host, port), { onLog: sayWhy, signal: polling.signal }),
      problem,
    ]);
    if (early === undefined) {
      output.open();
      const address = config.port === port ? config.baseUrl : `http://localhost:${port}`;
      say(`ready: ${address}`);
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
  } finally {
    polling.abort();
    await parts?.stop();
    await database?.stop();
  }
}

const HOST_YOUR_OWN = "npm has no newer one; to serve others, use your distribution's (docs/self-hosting.md)";

/** Returns `first` and the ports after it, or free ones if `first` is 0. */
async function findDispatcherPorts(first: number, count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let n = 0; n < count; n++)
    ports.push(await listenablePortOrThrow("DISPATCHER_PORT", "127.0.0.1", first === 0 ? 0 : first + n));
  return ports;
}

function say(line: string) {
  console.log(`stopwatch | ${line}`);
}

function readyUrl(host: string, port: number): string {
  const reachable = { "0.0.0.0": "127.0.0.1", "::": "[::1]" }[host] ?? (host.includes(":") ? `[${host}]` : host);
  return `http://${reachable}:${port}/readyz`;
}
