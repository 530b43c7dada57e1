import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import pino from "pino";
import postgres from "postgres";
import { processEnv, readConfig } from "#config.ts";
import { type Dispatcher, startDispatcher } from "#dispatcher/dispatcher.ts";
import { createTestAccount, type TestAccount } from "./accounts.ts";
import { COMPILE_CACHE } from "./compile-cache.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { ENCRYPTION_KEYS } from "./encryption-keys.ts";
import { HELD_TRANSACTIONS } from "./held-transactions.ts";
import { createTestSchedule, type ScheduleOverrides } from "./schedules.ts";
import { stopAudited } from "./stop-audited.ts";
import { waitFor } from "./wait-for.ts";

export type DispatchHarness = Awaited<ReturnType<typeof createDispatchHarness>>;

/** Says what ends a dispatcher, which is a fault in every test. */
const FATAL_ONLY = pino({ level: "fatal" }, pino.destination({ fd: 2, sync: true }));

/**
 * A database of its own with everything that a dispatcher test needs: accounts, schedules, and dispatchers. `close` stops
 * those of this process and kills those that are processes of their own. `settings` are environment settings such as
 * DELIVERY_ALLOW. `on` is a database to use instead.
 */
export async function createDispatchHarness(settings: Record<string, string>, on?: TestDatabase) {
  const database = on ?? (await createTestDatabase());
  // The driver's query for array types fails when the server goes away, and no caller could catch that error.
  const sql = postgres(database.url, {
    max: 4,
    onnotice: () => {},
    backoff: () => 0.2,
    fetch_types: on === undefined,
    connection: HELD_TRANSACTIONS,
  });
  const environment = {
    DATABASE_URL: database.serviceUrl,
    ENCRYPTION_KEYS,
    PLANS: JSON.stringify({ indie: { retryBackoffMs: 1_000 } }),
    ...settings,
  };
  const config = readConfig(environment);
  const running: Dispatcher[] = [];
  const children: ChildProcess[] = [];
  const start = (options: ProcessOptions) => {
    const child = spawnDispatcher(environment, options);
    children.push(child);
    return child;
  };
  return {
    sql,
    config,
    databaseUrl: database.url,
    account: (overrides?: Parameters<typeof createTestAccount>[2]) => createTestAccount(sql, config.keyRing, overrides),
    schedule: (account: TestAccount, targetUrl: string, fireAt: Date | null, overrides?: ScheduleOverrides) =>
      createTestSchedule(sql, config.keyRing, account.id, targetUrl, fireAt, overrides),
    async dispatcher(): Promise<Dispatcher> {
      const dispatcher = await startDispatcher(config, { log: FATAL_ONLY, version: "0.0.0" });
      running.push(dispatcher);
      return dispatcher;
    },
    /** Starts a dispatcher process of its own, as `npm run dispatcher` does. */
    spawn: (options: ProcessOptions = {}) => start(options),
    /** As `spawn`, and waits until the process owns every shard. */
    async process(options: ProcessOptions = {}): Promise<ChildProcess> {
      const child = start(options);
      await waitFor(
        "the process owns every shard",
        async () => {
          const [row] = await sql`SELECT count(DISTINCT owner)::int AS owners, count(owner)::int AS owned FROM shards`;
          return row?.owners === 1 && row?.owned === 64;
        },
        30_000,
      );
      return child;
    },
    /** Kills its dispatcher processes and releases their shards, so that the next one need not wait for their leases. */
    async endProcesses() {
      await killAll(children.splice(0));
      await sql`UPDATE shards SET owner = NULL, lease_until = '-infinity'`;
      await sql`UPDATE dispatchers SET stopped_at = now()`;
    },
    /** The stored schedule. */
    async read(id: string) {
      const [row] = await sql`SELECT * FROM schedules WHERE id = ${id}`;
      return row as Record<string, unknown> & { status: string; attempts: number; version: string };
    },
    attempts: (id: string) => sql`SELECT * FROM attempts WHERE schedule_id = ${id} ORDER BY attempt`,
    async close() {
      await killAll(children);
      await Promise.all(running.map(stopAudited));
      // The driver waits forever for a connection that a failover took away.
      await sql.end({ timeout: 2 });
      await database.drop();
    },
  };
}

/** Kills the processes that still run, and waits until they have ended. */
async function killAll(children: readonly ChildProcess[]) {
  const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  const exits = running.map((child) => once(child, "exit"));
  for (const child of running) child.kill("SIGKILL");
  await Promise.all(exits);
}

/** `filesMax` is the limit of open files. `preload` is code that runs first in the process. */
type ProcessOptions = { env?: Record<string, string>; filesMax?: number; preload?: string };

function spawnDispatcher(environment: Record<string, string>, options: ProcessOptions): ChildProcess {
  const preload = options.preload ? `--import data:text/javascript,${encodeURIComponent(options.preload)}` : "";
  return spawn(
    "/bin/sh",
    ["-c", `ulimit -n ${options.filesMax ?? 4_096}; exec "$0" $1 dispatcher/main.ts`, process.execPath, preload],
    {
      env: {
        PATH: processEnv().PATH,
        NODE_ENV: "test",
        ...COMPILE_CACHE,
        ...environment,
        DISPATCHER_PORT: "0",
        LOG_LEVEL: "warn",
        ...options.env,
      },
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
}
