import { setTimeout as pause } from "node:timers/promises";
import { PgBoss } from "pg-boss";
import postgres from "postgres";
import type { Engine } from "../../engine.ts";
import { createPost, type Posted } from "../../post.ts";
import { chunks, startEngineWorkers } from "../peer.ts";

type Options = { url: string; ca: string };

const QUEUE = "post";
const POLL_MS = 500;
const WORKERS = 20;

/** Its shortest polling interval is half a second, so many workers poll in turn. */
export const pgBoss: Engine = {
  name: "pg-boss",
  settings:
    "12.30, 20 workers that poll every 500 ms (its minimum) in turn, batches of 250, on at once after a full one",
  claimLead: "none",
  leavesOut:
    "payloads are stored as they are and not signed; no row and no counts of an attempt; no rates and turns of accounts",
  stores: true,
  async open(bench) {
    const database = await bench.createDatabase();
    const boss = createBoss(database.url, false);
    await boss.start();
    await boss.createQueue(QUEUE);
    const sql = postgres(database.url, { max: 2, onnotice: () => {} });
    const insert = async (jobs: { data: Posted; startAfter: Date }[]) => {
      for (const some of chunks(jobs, 1_000)) await boss.insert(QUEUE, some);
    };
    return {
      start: (workers) =>
        startEngineWorkers("peers/pg-boss", workers, { url: database.url, ca: bench.ca } satisfies Options),
      enqueue: (jobs) =>
        insert(jobs.map(({ url, body, dueAtMs }) => ({ data: { url, body }, startAfter: new Date(dueAtMs) }))),
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

/** The delivering process. */
export async function work({ url, ca }: Options): Promise<() => Promise<void>> {
  const { post, close } = createPost(ca);
  const boss = createBoss(url, true);
  await boss.start();
  const options = {
    pollingIntervalSeconds: POLL_MS / 1_000,
    batchSize: 250,
    burstWhenBatchFull: true,
    perJobResults: true,
  } as const;
  for (let worker = 0; worker < WORKERS; worker++) {
    await boss.work<Posted, unknown, typeof options>(QUEUE, options, (jobs) =>
      Promise.all(
        jobs.map(({ id, data }) =>
          post(data).then(
            () => ({ id, status: "completed" as const }),
            () => ({ id, status: "failed" as const }),
          ),
        ),
      ),
    );
    await pause(POLL_MS / WORKERS);
  }
  return async () => {
    await boss.stop({ graceful: false });
    await close();
  };
}

function createBoss(connectionString: string, supervise: boolean) {
  const boss = new PgBoss({ connectionString, supervise, schedule: false, max: WORKERS + 2 });
  boss.on("error", () => {});
  return boss;
}
