import { setTimeout as pause } from "node:timers/promises";
import { PgBoss } from "pg-boss";
import postgres from "postgres";
import type { Engine, Job } from "../../engine.ts";
import { createPost, type Posted } from "../../post.ts";
import { chunks, startEngineWorkers } from "../peer.ts";
import {
  type Attempt,
  createAttempts,
  createEqualHandler,
  createEqualKeys,
  type EqualKeys,
  type Sealed,
  sealJobs,
} from "./equal-work.ts";

type Options = { url: string; ca: string; keys: EqualKeys | null };

const QUEUE = "post";
const POLL_MS = 500;
const WORKERS = 20;

const SETTINGS =
  "12.30, 20 workers that poll every 500 ms (its minimum) in turn, batches of 250, on at once after a full one";

/** Its shortest polling interval is half a second, so many workers poll in turn. */
export const pgBoss = engineOf("pg-boss", SETTINGS);

export const pgBossEqual = engineOf(
  "pg-boss-equal",
  "as pg-boss; its handler opens the sealed requests, signs them, and writes the attempts of a batch in one statement",
  true,
);

function engineOf(name: string, settings: string, hasEqualWork = false): Engine {
  return {
    name,
    settings,
    claimLead: "none",
    leavesOut: hasEqualWork
      ? "no counts of an attempt; no rates and turns of accounts"
      : "payloads are stored as they are and not signed; no row and no counts of an attempt; no rates and turns of accounts",
    stores: true,
    async open(bench) {
      const database = await bench.createDatabase();
      const boss = createBoss(database.url, false);
      await boss.start();
      await boss.createQueue(QUEUE);
      const sql = postgres(database.url, { max: 2, onnotice: () => {} });
      const keys = hasEqualWork ? createEqualKeys() : null;
      if (keys) await createAttempts(sql);
      const insert = async (jobs: { data: Posted | Sealed; startAfter: Date }[]) => {
        for (const some of chunks(jobs, 1_000)) await boss.insert(QUEUE, some);
      };
      return {
        start: (workers) =>
          startEngineWorkers("peers/pg-boss", workers, { url: database.url, ca: bench.ca, keys } satisfies Options),
        async enqueue(jobs) {
          const data = keys ? sealJobs(jobs, keys) : jobs.map(({ url, body }) => ({ url, body }));
          await insert(data.map((data, n) => ({ data, startAfter: new Date((jobs[n] as Job).dueAtMs) })));
        },
        async finished() {
          const [row] = await sql`SELECT count(*)::int AS n FROM pgboss.job WHERE state = 'completed'`;
          return row?.n;
        },
        async addBacklog(rows) {
          for (let left = rows; left > 0; left -= 50_000) {
            const some = Array.from({ length: Math.min(left, 50_000) }, () => ({
              data: { url: bench.origin, body: "" },
              startAfter: new Date(Date.now() + 3_600_000 + Math.floor(Math.random() * 30 * 86_400_000)),
            }));
            await insert(some);
          }
          await sql`VACUUM ANALYZE pgboss.job`.simple();
        },
        async close() {
          await boss.stop({ graceful: false });
          await sql.end({ timeout: 2 });
          await database.drop();
        },
      };
    },
  };
}

/** The delivering process. */
export async function work({ url, ca, keys }: Options): Promise<() => Promise<void>> {
  const { handle, close } = keys ? createEqual({ url, ca, keys }) : createPlain(ca);
  const boss = createBoss(url, true);
  await boss.start();
  const options = {
    pollingIntervalSeconds: POLL_MS / 1_000,
    batchSize: 250,
    burstWhenBatchFull: true,
    perJobResults: true,
  } as const;
  for (let worker = 0; worker < WORKERS; worker++) {
    await boss.work<Posted | Sealed, unknown, typeof options>(QUEUE, options, handle);
    await pause(POLL_MS / WORKERS);
  }
  return async () => {
    await boss.stop({ graceful: false });
    await close();
  };
}

type Waiting = { id: string; data: Posted | Sealed };
type Result = { id: string; status: "completed" | "failed" };

/** Settles a batch job by job, by whether `send` succeeds. */
const settle = (jobs: readonly Waiting[], send: (data: Posted | Sealed) => Promise<unknown>): Promise<Result[]> =>
  Promise.all(
    jobs.map(({ id, data }) =>
      send(data).then(
        () => ({ id, status: "completed" as const }),
        () => ({ id, status: "failed" as const }),
      ),
    ),
  );

function createPlain(ca: string) {
  const { post, close } = createPost(ca);
  return { handle: (jobs: Waiting[]) => settle(jobs, (data) => post(data as Posted)), close };
}

function createEqual(options: { url: string; ca: string; keys: EqualKeys }) {
  const { send, record, close } = createEqualHandler(options);
  return {
    async handle(jobs: Waiting[]) {
      const attempts: Attempt[] = [];
      const results = await settle(jobs, async (data) => attempts.push(await send(data as Sealed)));
      if (attempts.length > 0) await record(attempts);
      return results;
    },
    close,
  };
}

function createBoss(connectionString: string, supervise: boolean) {
  const boss = new PgBoss({ connectionString, supervise, schedule: false, max: WORKERS + 2 });
  boss.on("error", () => {});
  return boss;
}
