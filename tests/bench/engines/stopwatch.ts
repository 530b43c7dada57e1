import { randomBytes } from "node:crypto";
import { env } from "node:process";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { migrate } from "../../../db/migrate.ts";
import { pgArray, pgTextArray } from "../../../db/pg-array.ts";
import { createSchedule } from "../../../db/queries/schedules/create.ts";
import { NODE_FLAGS, START_ENV } from "../../../dispatcher/node-flags.ts";
import { type KeyRing, parseKeyRing } from "../../../domain/cipher.ts";
import { newId } from "../../../domain/ids.ts";
import { packRequest, sealRequest } from "../../../domain/sealed-request.ts";
import { NOTIFY_HORIZON_MS } from "../../../domain/timing.ts";
import { freePort } from "../../../scripts/ports.ts";
import { createTestAccount, createTestAccounts } from "../../helpers/accounts.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { finishDirectRows, insertDirectRows } from "../direct-rows.ts";
import type { Engine, Job } from "../engine.ts";
import { insertExpired } from "../expired-rows.ts";
import { ACCOUNTS, NEIGHBOURS } from "../scenarios.ts";
import { startWorkerProcess } from "../worker-process.ts";
import { chunks } from "./peer.ts";

const KEYS = `bench:${randomBytes(32).toString("base64")}`;
const LIMITS = { limit: 10_000_000, graceLimit: 10_000_000, earlyFire: false };
const LOOPBACK_NAMES = fileURLToPath(new URL("../../helpers/loopback-names.ts", import.meta.url));
const STATEMENT_ROWS = 500;
const DIRECT_ROWS = 5_000;
const STATEMENT_BYTES = 4 * 1024 * 1024;

/** The real dispatcher process. Rows are stored by the real create statement. */
export const stopwatch: Engine = {
  name: "stopwatch",
  settings: "dispatcher/main.ts as `npm start` starts it, Indie accounts, payload encrypted, signed, attempt recorded",
  claimLead: "adaptive, 250 ms at most",
  leavesOut: null,
  stores: true,
  async open(bench) {
    const database = await bench.createDatabase();
    await migrate(database.url);
    const sql = postgres(database.url, { max: 8, onnotice: () => {} });
    const keyRing = parseKeyRing(KEYS);
    const accounts: string[] = [];
    for (let n = 0; n < ACCOUNTS + NEIGHBOURS; n++) accounts.push((await createTestAccount(sql, keyRing)).id);
    const hosts = [bench.origin, bench.hangingOrigin, bench.slowOrigin].map((url) =>
      url.startsWith("http:") ? url : new URL(url).host,
    );

    let ports: number[] = [];

    return {
      async start(workers, names = 0) {
        ports = await Promise.all(Array.from({ length: workers }, () => freePort()));
        const processes = ports.map((port) =>
          startWorkerProcess(fileURLToPath(new URL("../../../dispatcher/main.ts", import.meta.url)), {
            execArgv: [
              ...NODE_FLAGS,
              ...(names > 0 ? ["--import", LOOPBACK_NAMES] : []),
              ...(bench.profiles ? ["--cpu-prof", "--cpu-prof-dir", bench.profiles] : []),
            ],
            env: {
              ...START_ENV,
              ...env,
              DATABASE_URL: database.url,
              DATABASE_DIRECT_URL: "",
              ENCRYPTION_KEYS: KEYS,
              DISPATCHER_PORT: String(port),
              DELIVERY_ALLOW: hosts.join(","),
              DELIVERY_CA_FILE: bench.caFile,
              LOOPBACK_MANY: `${names} ${bench.manyPorts.join(",")}`,
              LOG_LEVEL: "error",
            },
          }),
        );
        const owned = async (port: number) =>
          fetch(`http://127.0.0.1:${port}/healthz`)
            .then(async (answer) => ((await answer.json()) as { owned?: number }).owned)
            .catch(() => undefined);
        await waitFor(
          "each dispatcher owns its share of the shards",
          async () => {
            const shares = await Promise.all(ports.map(owned));
            return shares.every((share) => share === 64 / workers);
          },
          45_000,
        );
        return processes;
      },
      async enqueue(jobs) {
        const [only] = jobs;
        if (jobs.length === 1 && only) return createOne(sql, keyRing, accounts[only.account] as string, only);
        const rows = Math.min(STATEMENT_ROWS, Math.ceil(STATEMENT_BYTES / (only?.body.length ?? 1)));
        // One transaction after the other: two at a time would wait for each other's lock on the row of the month's
        // usage.
        for (const batch of chunks(jobs, rows)) await createMany(sql, keyRing, accounts, batch);
      },
      async enqueueOverdue(jobs) {
        const lacking = jobs.reduce((most, { account }) => Math.max(most, account + 1), 0) - accounts.length;
        if (lacking > 0) accounts.push(...(await createTestAccounts(sql, keyRing, lacking)));
        for (const some of chunks(jobs, DIRECT_ROWS)) {
          await insertDirectRows(
            sql,
            some.map(({ account, dueAtMs, url }) => ({ accountId: accounts[account] as string, dueAtMs, url })),
          );
        }
        await finishDirectRows(sql);
        await sql`ANALYZE schedules, schedule_requests`.simple();
      },
      async finished() {
        // One statement writes both.
        const [row] = await sql`
          SELECT least((SELECT count(*) FROM schedules WHERE status = 'succeeded'),
            (SELECT count(*) FROM attempts WHERE outcome = 'delivered'))::int AS n`;
        return row?.n;
      },
      async counters() {
        const texts = await Promise.all(
          ports.map(async (port) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()),
        );
        const sum = (name: string) =>
          texts
            .flatMap((text) => [...text.matchAll(new RegExp(`^${name}(?:{.*})? (\\d+)$`, "gm"))])
            .reduce((all, [, n]) => all + Number(n), 0);
        const ended = Math.max(sum("stopwatch_attempts_total"), 1);
        return { rowsRead: sum("stopwatch_rows_read_total") / ended, released: sum("stopwatch_released_total") };
      },
      async addBacklog(rows) {
        await sql`
          WITH row AS (SELECT gen_random_uuid() AS id, a.id AS account_id, a.shard,
              date_trunc('milliseconds', now()) + interval '1 hour' + random() * interval '30 days' AS at
            FROM generate_series(1, ${rows / ACCOUNTS}::int), accounts a
            WHERE a.id = ANY(${pgArray(accounts.slice(0, ACCOUNTS))}::text::uuid[])),
          requests AS (INSERT INTO schedule_requests (schedule_id, account_id, env, target_url, method, request_hash)
            SELECT id, account_id, 'live', ${`${bench.origin}/d/later`}, 'POST', '\\x00' FROM row)
          INSERT INTO schedules (id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes, sealed_bytes, origin)
          SELECT id, account_id, 'live', shard, false, at, at, 0, 0, ${bench.origin} FROM row`;
        await finishDirectRows(sql);
        await sql`VACUUM ANALYZE schedules, schedule_requests`.simple();
      },
      async addExpired(expired) {
        const owner = postgres(database.url, { max: 1, onnotice: () => {} });
        await insertExpired(owner, accounts, expired);
        await owner.end();
      },
      async takenByRetention() {
        // Nothing else updates or deletes rows of this table here.
        const [row] = await sql`
          SELECT (n_tup_upd + n_tup_del)::int AS n FROM pg_stat_user_tables WHERE relname = 'schedule_requests'`;
        return row?.n;
      },
      async close() {
        await sql.end({ timeout: 2 });
        await database.drop();
      },
    };
  },
};

const pack = (payload: string) => packRequest({ headers: [["content-type", "application/json"]], payload }) as Buffer;

const destination = (accountId: string, id: string, { url: targetUrl }: Job) =>
  ({ accountId, env: "live", id, method: "POST", targetUrl }) as const;

async function createOne(sql: postgres.Sql, keyRing: KeyRing, accountId: string, job: Job) {
  const id = newId(Date.now());
  const creation = await createSchedule(sql, { accountId, env: "live" }, LIMITS, {
    id,
    fireTime: { atMs: job.dueAtMs },
    earlyFire: null,
    targetUrl: job.url,
    origin: new URL(job.url).origin,
    method: "POST",
    sealed: sealRequest(keyRing, pack(job.body), destination(accountId, id, job)),
    payloadSizeBytes: job.body.length,
    idempotencyKey: null,
    requestHash: Buffer.alloc(32),
    replayOf: null,
    rejection: null,
    delivery: null,
  });
  if (creation.outcome !== "created") throw new Error(`a job was not stored: ${creation.outcome}`);
}

/** Runs the create statement for many rows in one transaction. */
async function createMany(sql: postgres.Sql, keyRing: KeyRing, accounts: string[], jobs: Job[]) {
  const body = jobs[0]?.body ?? "";
  const plaintext = pack(body);
  const ids = jobs.map(() => newId(Date.now()));
  const sealed = jobs.map((job, n) => {
    const to = destination(accounts[job.account] as string, ids[n] as string, job);
    return sealRequest(keyRing, plaintext, to).toString("base64");
  });
  const outcomes = await sql`
    SELECT created.outcome FROM unnest(
      ${pgArray(ids)}::text::uuid[],
      ${pgArray(jobs.map((job) => accounts[job.account] as string))}::text::uuid[],
      ${pgArray(jobs.map((job) => job.dueAtMs))}::text::float8[],
      ${pgTextArray(jobs.map((job) => job.url))}::text::text[],
      ${pgTextArray(jobs.map((job) => new URL(job.url).origin))}::text::text[],
      ${pgArray(sealed)}::text::text[]) job(id, account_id, due_at_ms, url, origin, sealed),
    create_schedule(job.account_id, 'live', job.id, to_timestamp(job.due_at_ms / 1000), NULL, NULL, false, job.url,
      job.origin, 'POST', decode(job.sealed, 'base64'), ${body.length}, NULL, ${Buffer.alloc(32)}::bytea, NULL, NULL,
      ${LIMITS.limit}, ${LIMITS.graceLimit}, ${NOTIFY_HORIZON_MS}, NULL, NULL) created`;
  const refused = outcomes.find((row) => row.outcome !== "created");
  if (refused) throw new Error(`a job was not stored: ${refused.outcome}`);
}
