import { DBOS, DBOSClient } from "@dbos-inc/dbos-sdk";
import postgres from "postgres";
import type { Engine, Job } from "../../engine.ts";
import { createPost, type Post, type Posted } from "../../post.ts";
import { chunks, startEngineWorkers } from "../peer.ts";

type Options = { url: string; ca: string };

const QUEUE = "post";
/**
 * DBOS looks for delayed workflows only once a second. So workflows start ahead of their instant and sleep until it.
 */
const AHEAD_MS = 2_500;
const QUIET = { info: () => {}, debug: () => {}, warn: () => {}, error: () => {} };

/** Durable workflows: a delayed start, a durable sleep for the remaining time, and one step that posts. */
export const dbos: Engine = {
  name: "dbos",
  settings: "4, queue polled every 100 ms, workflows start up to 2.5 s ahead and sleep durably, then one step",
  claimLead: "1–2.5 s (asleep)",
  leavesOut: "payloads are stored as they are and not signed; no counts; no rates and turns of accounts",
  stores: true,
  async open(bench) {
    const database = await bench.createDatabase();
    // Its first launch creates its tables.
    const [maker] = await startEngineWorkers("peers/dbos", 1, { url: database.url, ca: bench.ca } satisfies Options);
    await maker?.stop();
    const client = await DBOSClient.create({
      systemDatabaseUrl: database.url,
      systemDatabasePoolSize: 16,
      logger: QUIET,
    });
    const sql = postgres(database.url, { max: 2, onnotice: () => {} });
    const enqueueOne = (job: Job, id: string) =>
      client.enqueue(
        {
          queueName: QUEUE,
          workflowName: "deliver",
          workflowID: id,
          delaySeconds: Math.max(job.dueAtMs - AHEAD_MS - Date.now(), 0) / 1_000,
        },
        job.dueAtMs,
        { url: job.url, body: job.body },
      );
    return {
      start: (workers) =>
        startEngineWorkers("peers/dbos", workers, { url: database.url, ca: bench.ca } satisfies Options),
      async enqueue(jobs) {
        for (const some of chunks(jobs, 64)) {
          await Promise.all(some.map((job) => enqueueOne(job, `${job.dueAtMs}-${job.n}`)));
        }
      },
      async finished() {
        const [row] = await sql`SELECT count(*)::int AS n FROM dbos.workflow_status WHERE status = 'SUCCESS'`;
        return row?.n;
      },
      async addBacklog(rows) {
        const later = { n: 0, account: 0, dueAtMs: Date.now() + 3_600_000, url: bench.origin, body: "" };
        await enqueueOne(later, "later");
        await sql.unsafe(COPY_LATER, [rows - 1]);
        await sql`VACUUM ANALYZE dbos.workflow_status`.simple();
      },
      async close() {
        await client.destroy();
        await sql.end({ timeout: 2 });
        await database.drop();
      },
    };
  },
};

// Copies the row of the workflow `later` many times, each with another id and a random instant.
const COPY_LATER = `
  INSERT INTO dbos.workflow_status
  SELECT (jsonb_populate_record(one, jsonb_build_object(
    'workflow_uuid', 'later-' || n,
    'delay_until_epoch_ms', one.delay_until_epoch_ms + (random() * 30 * 86400000)::bigint))).*
  FROM dbos.workflow_status one, generate_series(1, $1::int) n WHERE one.workflow_uuid = 'later'`;

/** The delivering process. */
export async function work({ url, ca }: Options): Promise<() => Promise<void>> {
  const { post, close } = createPost(ca);
  DBOS.setConfig({
    name: "bench",
    systemDatabaseUrl: url,
    systemDatabasePoolSize: 30,
    logger: QUIET,
    applicationVersion: "1",
  });
  DBOS.registerWorkflow(deliverWith(post), { name: "deliver" });
  await DBOS.launch();
  await DBOS.registerQueue(QUEUE, { minPollingIntervalMs: 100, onConflict: "always_update" });
  return async () => {
    await DBOS.shutdown();
    await close();
  };
}

function deliverWith(post: Post) {
  return async (dueAtMs: number, request: Posted) => {
    const leftMs = dueAtMs - (await DBOS.now());
    if (leftMs > 0) await DBOS.sleepms(leftMs);
    await DBOS.runStep(() => post(request), { name: "post" });
  };
}
