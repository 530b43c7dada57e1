import { Logger, makeWorkerUtils, type RunnerOptions, run } from "graphile-worker";
import postgres from "postgres";
import type { Engine, Job } from "../../engine.ts";
import { createPost, type Posted } from "../../post.ts";
import { chunks, startEngineWorkers } from "../peer.ts";
import {
  createAttempts,
  createEqualHandler,
  createEqualKeys,
  type EqualKeys,
  type Sealed,
  sealJobs,
} from "./equal-work.ts";

type Options = { url: string; ca: string; variant: Variant; keys: EqualKeys | null };
type Variant = keyof typeof VARIANTS;

const TASK = "post";
const quiet = new Logger(() => () => {});

const VARIANTS = {
  plain: { concurrency: 24, maxPoolSize: 26, pollInterval: 20 },
  local: {
    concurrency: 128,
    maxPoolSize: 10,
    pollInterval: 5,
    preset: { worker: { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
  },
} satisfies Record<string, Partial<RunnerOptions>>;

/** Each worker polls by itself. With 24 workers, one of them polls about every millisecond. */
export const graphileWorker = engineOf(
  "graphile-worker",
  "plain",
  "0.18, 24 concurrent jobs that poll every 20 ms each, prepared statements",
);

export const graphileWorkerLocal = engineOf(
  "graphile-worker-local",
  "local",
  "0.18, local queue of 500 that polls every 5 ms, 128 concurrent jobs, completions in batches",
);

export const graphileWorkerEqual = engineOf(
  "graphile-worker-equal",
  "local",
  "as graphile-worker-local; its handler opens the sealed request, signs it, and writes a row for the attempt",
  true,
);

function engineOf(name: string, variant: Variant, settings: string, hasEqualWork = false): Engine {
  return {
    name,
    settings,
    claimLead: "none",
    leavesOut: hasEqualWork
      ? "a finished job is deleted; no counts of an attempt; no rates and turns of accounts"
      : "payloads are stored as they are and not signed; a finished job is deleted; no rates and turns of accounts",
    stores: true,
    async open(bench) {
      const database = await bench.createDatabase();
      const utils = await makeWorkerUtils({ connectionString: database.url, logger: quiet });
      await utils.migrate();
      const sql = postgres(database.url, { max: 2, onnotice: () => {} });
      const keys = hasEqualWork ? createEqualKeys() : null;
      if (keys) await createAttempts(sql);
      let stored = 0;
      const add = async (jobs: { payload: Posted | Sealed; runAt: Date }[]) => {
        for (const some of chunks(jobs, 1_000)) {
          await utils.addJobs(some.map((job) => ({ identifier: TASK, ...job })));
        }
      };
      return {
        start: (workers) =>
          startEngineWorkers("peers/graphile-worker", workers, {
            url: database.url,
            ca: bench.ca,
            variant,
            keys,
          } satisfies Options),
        async enqueue(jobs: Job[]) {
          stored += jobs.length;
          const payloads = keys ? sealJobs(jobs, keys) : jobs.map(({ url, body }) => ({ url, body }));
          await add(payloads.map((payload, n) => ({ payload, runAt: new Date((jobs[n] as Job).dueAtMs) })));
        },
        // graphile-worker deletes a job when it is done.
        async finished() {
          const [row] = await sql`
            SELECT count(*)::int AS n FROM graphile_worker._private_jobs WHERE run_at < now() + interval '30 minutes'`;
          return stored - row?.n;
        },
        async addBacklog(rows) {
          const later = () => new Date(Date.now() + 3_600_000 + Math.floor(Math.random() * 30 * 86_400_000));
          for (let left = rows; left > 0; left -= 50_000) {
            const some = Array.from({ length: Math.min(left, 50_000) }, () => ({
              payload: { url: bench.origin, body: "" },
              runAt: later(),
            }));
            await add(some);
          }
          await sql`VACUUM ANALYZE graphile_worker._private_jobs`.simple();
        },
        async close() {
          await utils.release();
          await sql.end({ timeout: 2 });
          await database.drop();
        },
      };
    },
  };
}

/** The delivering process. */
export async function work({ url, ca, variant, keys }: Options): Promise<() => Promise<void>> {
  const { handle, close } = keys ? createEqual({ url, ca, keys }) : createPlain(ca);
  const runner = await run({
    connectionString: url,
    logger: quiet,
    noHandleSignals: true,
    taskList: { [TASK]: handle },
    ...VARIANTS[variant],
  });
  return async () => {
    await runner.stop();
    await close();
  };
}

function createPlain(ca: string) {
  const { post, close } = createPost(ca);
  return { handle: async (payload: unknown) => void (await post(payload as Posted)), close };
}

function createEqual(options: { url: string; ca: string; keys: EqualKeys }) {
  const { send, record, close } = createEqualHandler(options);
  return { handle: async (payload: unknown) => record([await send(payload as Sealed)]), close };
}
