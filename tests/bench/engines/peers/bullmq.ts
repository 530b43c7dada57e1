import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Queue, Worker } from "bullmq";
import { freePort } from "../../../../scripts/ports.ts";
import type { Engine } from "../../engine.ts";
import { createPost, type Posted } from "../../post.ts";
import { chunks, startEngineWorkers } from "../peer.ts";

type Options = { port: number; ca: string };

const QUEUE = "post";
const REDIS = "redis-server";

/** Runs on a Redis of its own, and only where `redis-server` is installed. */
export const bullmq: Engine = {
  name: "bullmq",
  settings: "6, one worker with 200 concurrent jobs, Redis 7 with an append-only file, appendfsync always, hz 500",
  claimLead: "none",
  leavesOut:
    "payloads are stored as they are and not signed; no row and no counts of an attempt; no rates and turns of accounts; no SQL",
  stores: true,
  async absent() {
    const found = await promisify(execFile)(REDIS, ["--version"]).then(
      () => true,
      () => false,
    );
    return found ? undefined : `there is no ${REDIS} here`;
  },
  async open(bench) {
    const folder = await mkdtemp(join(bench.folder, "redis-"));
    const port = await freePort();
    const redis = await startRedis(folder, port);
    const queue = new Queue<Posted>(QUEUE, { connection: { host: "127.0.0.1", port } });
    queue.on("error", () => {});
    const add = async (jobs: { data: Posted; dueAtMs: number }[]) => {
      for (const some of chunks(jobs, 1_000)) {
        const now = Date.now();
        await queue.addBulk(
          some.map(({ data, dueAtMs }) => ({ name: QUEUE, data, opts: { delay: Math.max(dueAtMs - now, 0) } })),
        );
      }
    };
    return {
      start: (workers) => startEngineWorkers("peers/bullmq", workers, { port, ca: bench.ca } satisfies Options),
      enqueue: (jobs) => add(jobs.map(({ url, body, dueAtMs }) => ({ data: { url, body }, dueAtMs }))),
      finished: () => queue.getCompletedCount(),
      async addBacklog(rows) {
        for (let left = rows; left > 0; left -= 50_000) {
          const some = Array.from({ length: Math.min(left, 50_000) }, () => ({
            data: { url: bench.origin, body: "" },
            dueAtMs: Date.now() + 3_600_000 + Math.floor(Math.random() * 30 * 86_400_000),
          }));
          await add(some);
        }
      },
      async close() {
        await queue.close();
        const ended = once(redis, "exit");
        redis.kill("SIGKILL");
        await ended;
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
};

/** The delivering process. */
export async function work({ port, ca }: Options): Promise<() => Promise<void>> {
  const { post, close } = createPost(ca);
  const worker = new Worker<Posted>(QUEUE, (job) => post(job.data), {
    connection: { host: "127.0.0.1", port },
    concurrency: 200,
  });
  worker.on("error", () => {});
  await worker.waitUntilReady();
  return async () => {
    await worker.close(true);
    await close();
  };
}

async function startRedis(folder: string, port: number): Promise<ChildProcess> {
  const settings = {
    port: String(port),
    bind: "127.0.0.1",
    dir: folder,
    save: "",
    // As durable as the Postgres of the other engines.
    appendonly: "yes",
    appendfsync: "always",
    // How often Redis checks for blocked clients whose wait is over. The default is ten times a second.
    hz: "500",
    "dynamic-hz": "no",
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const redis = spawn(REDIS, flags, { stdio: ["ignore", "pipe", "inherit"] });
  // Stops Redis also when this process ends in the middle of a run.
  process.once("exit", () => redis.kill("SIGKILL"));
  let said = "";
  for await (const chunk of redis.stdout) {
    said += chunk;
    if (said.includes("Ready to accept connections")) break;
  }
  return redis;
}
