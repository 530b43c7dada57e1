import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { env } from "node:process";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { migrate } from "../../db/migrate.ts";
import { connectOrm } from "../../db/orm.ts";
import { createApiKey } from "../../db/queries/accounts/api-keys.ts";
import { createOrFindAccount } from "../../db/queries/accounts/create.ts";
import { NODE_FLAGS, START_ENV } from "../../dispatcher/node-flags.ts";
import { generateEncryptionKey, type KeyRing, parseKeyRing } from "../../domain/cipher.ts";
import { decodeId } from "../../domain/ids.ts";
import { parsePlans } from "../../domain/plans.ts";
import { buildPackage } from "../../scripts/packages/build-package.ts";
import { freePort } from "../../scripts/ports.ts";
import { buildWhenNeeded } from "../../scripts/stack/build.ts";
import { createTestSchedule } from "../helpers/schedules.ts";
import { waitFor } from "../helpers/wait-for.ts";
import type { Bench } from "./engine.ts";
import { percentile } from "./measure.ts";
import { PRODUCT, startWebProcess } from "./web-process.ts";
import { startWorkerProcess, type WorkerProcess } from "./worker-process.ts";

/** One round: lateness at the local server, ms, of deliveries to its own address and of those through a listener. */
export type ListeningRound = {
  count: number;
  direct: Percentiles;
  listened: Percentiles;
  /** Of two deliveries that are due at the same instant: how much later the one through the listener came. */
  added: Percentiles;
};

type Percentiles = { p50: number; p95: number; p99: number };

const PER_SECOND = 20;
const AHEAD_MS = 5_000;
const DEADLINE_MS = 60_000;
const PAYLOAD = JSON.stringify({ filler: "x".repeat(1_024 - '{"filler":""}'.length) });

/**
 * Measures how much later a test delivery reaches a local server through `stopwatch listen` than at its own address: real
 * dispatcher, web process and command line, pairs of deliveries that are due at the same instant.
 */
export async function measureListening(
  bench: Pick<Bench, "createDatabase">,
  { rounds, seconds }: { rounds: number; seconds: number },
  onRound: (round: ListeningRound) => void,
): Promise<ListeningRound[]> {
  await buildWhenNeeded({ onLog: (line) => console.log(line) });
  await buildPackage("cli");
  const database = await bench.createDatabase();
  const arrivedAtMs = new Map<string, number>();
  const server = await startLocalServer((id) => arrivedAtMs.set(id, performance.timeOrigin + performance.now()));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const keys = `bench:${generateEncryptionKey()}`;
  const sql = postgres(database.url, { max: 4, onnotice: () => {} });
  const processes: WorkerProcess[] = [];
  try {
    await migrate(database.url);
    const owner = await createOwner(database.url, parseKeyRing(keys));
    await sql`INSERT INTO relay_settings (account_id, cps_limit) VALUES (${owner.accountId}, 1000)`;
    const settings = { ...env, DATABASE_URL: database.url, DATABASE_DIRECT_URL: "", ENCRYPTION_KEYS: keys };
    processes.push(await startDispatcher({ ...settings, DELIVERY_ALLOW: origin }, sql));
    const web = await startWebProcess(PRODUCT, settings);
    processes.push(web);
    processes.push(
      startWorkerProcess(fileURLToPath(new URL("../../cli/dist/stopwatch.js", import.meta.url)), {
        args: ["listen", "--to", origin, "--json"],
        env: { ...env, STOPWATCH_URL: web.origin, STOPWATCH_API_KEY: owner.key },
      }),
    );
    await waitFor("the command line listens", async () => (await sql`SELECT FROM listeners`).length === 1, DEADLINE_MS);
    const measured: ListeningRound[] = [];
    // The first round warms everything up.
    for (let n = 0; n <= rounds; n++) {
      const round = await runRound({
        sql,
        keyRing: parseKeyRing(keys),
        accountId: owner.accountId,
        origin,
        arrivedAtMs,
        seconds,
      });
      if (n === 0) continue;
      measured.push(round);
      onRound(round);
    }
    return measured;
  } finally {
    await Promise.all(processes.map((process) => process.stop()));
    server.close();
    server.closeAllConnections();
    await sql.end({ timeout: 2 });
    await database.drop();
  }
}

type RoundOptions = {
  sql: postgres.Sql;
  keyRing: KeyRing;
  accountId: string;
  origin: string;
  /** By the id of the schedule, epoch ms. */
  arrivedAtMs: Map<string, number>;
  seconds: number;
};

async function runRound({
  sql,
  keyRing,
  accountId,
  origin,
  arrivedAtMs,
  seconds,
}: RoundOptions): Promise<ListeningRound> {
  const count = PER_SECOND * seconds;
  const beginMs = Date.now() + AHEAD_MS;
  const create = (target: string, dueAtMs: number) =>
    createTestSchedule(sql, keyRing, accountId, target, new Date(dueAtMs), { env: "test", payload: PAYLOAD });
  const pairs: { dueAtMs: number; direct: string; listened: string }[] = [];
  for (let n = 0; n < count; n++) {
    const dueAtMs = beginMs + Math.floor((n * 1_000) / PER_SECOND);
    const direct = await create(`${origin}/direct`, dueAtMs);
    pairs.push({ dueAtMs, direct, listened: await create("https://listen.invalid/listened", dueAtMs) });
  }
  const ids = pairs.flatMap(({ direct, listened }) => [direct, listened]);
  await waitFor(
    "every delivery has succeeded",
    async () => {
      const [row] = await sql`
        SELECT count(*)::int AS n FROM schedules WHERE id = ANY (${ids}) AND status = 'succeeded' AND attempts = 1`;
      return row?.n === ids.length;
    },
    AHEAD_MS + seconds * 1_000 + DEADLINE_MS,
  );
  const arrivalOf = (id: string) => arrivedAtMs.get(id) ?? Number.NaN;
  return {
    count,
    direct: percentilesOf(pairs.map(({ direct, dueAtMs }) => arrivalOf(direct) - dueAtMs)),
    listened: percentilesOf(pairs.map(({ listened, dueAtMs }) => arrivalOf(listened) - dueAtMs)),
    added: percentilesOf(pairs.map(({ direct, listened }) => arrivalOf(listened) - arrivalOf(direct))),
  };
}

function percentilesOf(values: readonly number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => percentile(sorted, share) ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/** Answers at once, and tells the id of each schedule (UUID) that arrives. */
async function startLocalServer(onArrival: (id: string) => void): Promise<Server> {
  const server = createServer((request, response) => {
    onArrival(decodeId("sch", String(request.headers["x-service-schedule-id"])) ?? "");
    request.resume();
    response.end();
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  return server;
}

async function startDispatcher(settings: NodeJS.ProcessEnv, sql: postgres.Sql): Promise<WorkerProcess> {
  const port = await freePort();
  const dispatcher = startWorkerProcess(fileURLToPath(new URL("../../dispatcher/main.ts", import.meta.url)), {
    execArgv: NODE_FLAGS,
    env: { ...START_ENV, ...settings, DISPATCHER_PORT: String(port), LOG_LEVEL: "error" },
  });
  const ownsAll = async () => (await sql`SELECT FROM shards WHERE owner IS NULL`).length === 0;
  await Promise.race([waitFor("the dispatcher owns every shard", ownsAll, DEADLINE_MS), dispatcher.lost]);
  return dispatcher;
}

/** An account with a test key. */
async function createOwner(url: string, keyRing: KeyRing): Promise<{ accountId: string; key: string }> {
  const connection = connectOrm({ url, name: "stopwatch bench", connectionsMax: 1 });
  try {
    return await connection.run(30_000, async ({ db }) => {
      const wanted = { email: "listening@example.com", plan: "indie" as const, keyRing };
      const { id: accountId } = await createOrFindAccount(db, { ...wanted, nowMs: Date.now() });
      const { key } = await createApiKey(db, { accountId, env: "test", name: "bench" }, parsePlans(undefined).indie);
      return { accountId, key };
    });
  } finally {
    await connection.close();
  }
}

/** One round on one line. */
export function listeningLine({ count, direct, listened, added }: ListeningRound): string {
  const all = ({ p50, p95, p99 }: Percentiles) => [p50, p95, p99].map((ms) => ms.toFixed(1)).join(" / ");
  return `${count} pairs, lateness p50 / p95 / p99: direct ${all(direct)} ms, through a listener ${all(listened)} ms, added ${all(added)} ms`;
}
