import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { Registry } from "prom-client";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { connect } from "#db/client.ts";
import { recordAttempts } from "#db/queries/attempts/record.ts";
import { RetentionMetrics } from "#dispatcher/observability/retention-metrics.ts";
import { RETENTION_SESSION, Retention } from "#dispatcher/retention/retention.ts";
import { monotonicNow } from "#dispatcher/runtime/ticker.ts";
import { newId } from "#domain/ids.ts";
import { parsePlans } from "#domain/plans.ts";
import type { DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { pause } from "../../helpers/time.ts";
import { withDispatchHarness } from "../../helpers/with-dispatch-harness.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOTHING = "https://example.com/";
/** So many that one of them which waits is not the half of them. */
const ROUNDS_MIN = 20;

let harness: DispatchHarness;
let database: ReturnType<typeof connect>;
let registry: Registry;
let logs: { level: number; job?: string; rows?: number; msg: string }[] = [];

withDispatchHarness({}, (made) => {
  ({ harness } = made);
});
beforeAll(async () => {
  database = connect({
    url: harness.config.databaseUrl,
    name: "retention",
    connectionsMax: 1,
    session: RETENTION_SESSION,
  });
});
afterAll(async () => {
  await database.close();
});
beforeEach(async () => {
  logs = [];
  await harness.sql`TRUNCATE schedules, schedule_requests, account_counts, host_counts, counted_hosts, shard_punctuality, sessions, dispatchers`;
});

/** A retention stage of its own, as a new process has. */
function start(
  options: { plans?: string; isMine?: () => boolean; monotonic?: () => number; on?: typeof database } = {},
) {
  registry = new Registry();
  const log = Object.fromEntries(
    Object.entries({ info: 30, warn: 40, error: 50 }).map(([name, level]) => [
      name,
      (fields: object, msg: string) => logs.push({ level, msg, ...fields }),
    ]),
  );
  return new Retention({
    database: options.on ?? database,
    plans: parsePlans(options.plans),
    shards: { holds: options.isMine ?? (() => true) },
    monotonic: options.monotonic ?? monotonicNow,
    log: log as never,
    metrics: { retention: new RetentionMetrics(registry) },
  });
}

/** Runs rounds until one finds nothing to do. Returns the totals of all rounds. */
async function finish(retention: ReturnType<typeof start>) {
  const total: Record<string, number> = {};
  for (;;) {
    const taken = await retention.runOnce();
    if (Object.keys(taken).length === 0) return total;
    for (const [job, rows] of Object.entries(taken)) total[job] = (total[job] ?? 0) + rows;
  }
}

/** A schedule with payload and headers that ended this long ago; null for one that is still open. */
async function ended(
  account: { id: string },
  agoMs: number | null,
  status: "succeeded" | "dead" | "cancelled" = "succeeded",
  request: { payload?: string | null; headers?: [string, string][] } = {},
) {
  const id = await harness.schedule(account as never, NOTHING, new Date(Date.now() + HOUR_MS), {
    payload: "a payload",
    headers: [["x-custom", "value"]],
    ...request,
  });
  if (agoMs !== null) {
    await harness.sql`
      UPDATE schedules SET status = ${status}, next_attempt_at = NULL,
        created_at = now() - ${agoMs + 1} * interval '1 millisecond', ended_at = now() - ${agoMs} * interval '1 millisecond'
      WHERE id = ${id}`;
  }
  return id;
}

async function stored(id: string) {
  const [row] = await harness.sql`
    SELECT r.sealed, r.erased_at, r.target_url, r.idempotency_key, s.payload_size_bytes, s.sealed_bytes, s.version, s.updated_at
    FROM schedules s JOIN schedule_requests r ON r.schedule_id = s.id WHERE s.id = ${id}`;
  return row;
}
const isErased = async (id: string) => (await stored(id))?.sealed === null;

describe("the payload and headers", () => {
  it.each(["succeeded", "dead", "cancelled"] as const)(
    "of a schedule that is %s are erased after its plan's retention window in that status, and not before",
    async (status) => {
      const [free, indie] = [await harness.account({ plan: "free" }), await harness.account({ plan: "indie" })];
      const gone = [await ended(free, 7 * DAY_MS + 1_000, status), await ended(indie, 30 * DAY_MS + 1_000, status)];
      const kept = [await ended(free, 7 * DAY_MS - HOUR_MS, status), await ended(indie, 30 * DAY_MS - HOUR_MS, status)];
      expect(await finish(start())).toMatchObject({ payloads: 2, schedules: 0 });
      for (const id of gone) expect(await isErased(id)).toBe(true);
      for (const id of kept) expect(await isErased(id)).toBe(false);
    },
  );

  it("of an open schedule are kept, however old it is", async () => {
    const account = await harness.account({ plan: "free" });
    const id = await ended(account, null);
    await harness.sql`UPDATE schedules SET created_at = now() - interval '5 years' WHERE id = ${id}`;
    expect(await finish(start())).toMatchObject({ payloads: 0, schedules: 0 });
    expect(await isErased(id)).toBe(false);
  });

  it("are erased without a change of target, version and time of the last change, and leave size 0 and a mark", async () => {
    const account = await harness.account({ plan: "free" });
    const id = await ended(account, 8 * DAY_MS);
    const before = await stored(id);
    await finish(start());
    expect(await stored(id)).toEqual({
      ...before,
      sealed: null,
      erased_at: expect.any(Date),
      payload_size_bytes: 0,
      sealed_bytes: 0,
    });
  });

  it("are not marked as erased when there never were any: the schedule can be sent again", async () => {
    const account = await harness.account({ plan: "free" });
    const id = await ended(account, 8 * DAY_MS, "succeeded", { payload: null, headers: [] });
    expect(await finish(start())).toMatchObject({ payloads: 0 });
    expect((await stored(id))?.erased_at).toBeNull();
  });

  it("are kept as long as PLANS and the account's current plan say", async () => {
    const account = await harness.account({ plan: "free" });
    const id = await ended(account, 8 * DAY_MS);
    await finish(start({ plans: '{"free":{"retentionDays":9}}' }));
    expect(await isErased(id)).toBe(false);
    await harness.sql`UPDATE accounts SET plan = 'indie' WHERE id = ${account.id}`;
    await finish(start());
    expect(await isErased(id)).toBe(false);
    await harness.sql`UPDATE accounts SET plan = 'free' WHERE id = ${account.id}`;
    await finish(start());
    expect(await isErased(id)).toBe(true);
  });

  it("are skipped without waiting while another session locks them, and erased in the next round", async () => {
    const account = await harness.account({ plan: "free" });
    const [locked, other] = [await ended(account, 9 * DAY_MS), await ended(account, 8 * DAY_MS)];
    const release = await holding(
      (sql) => sql`SELECT 1 FROM schedule_requests WHERE schedule_id = ${locked} FOR UPDATE`,
    );
    expect(await finish(start())).toMatchObject({ payloads: 1 });
    expect([await isErased(locked), await isErased(other)]).toEqual([false, true]);
    await release();
    expect(await finish(start())).toMatchObject({ payloads: 1 });
  });
});

describe("terminal schedules", () => {
  it("are deleted with their requests and keys after the days of their plan, and the key is free again", async () => {
    const [free, indie] = [await harness.account({ plan: "free" }), await harness.account({ plan: "indie" })];
    const gone = [await ended(free, 90 * DAY_MS + 1_000), await ended(indie, 365 * DAY_MS + 1_000)];
    const kept = [await ended(free, 90 * DAY_MS - HOUR_MS), await ended(indie, 365 * DAY_MS - HOUR_MS)];
    await harness.sql`UPDATE schedule_requests SET idempotency_key = 'a key' WHERE schedule_id IN (${gone[0] ?? ""}, ${kept[1] ?? ""})`;
    expect(await finish(start())).toMatchObject({ payloads: 2, schedules: 2 });
    const left = await harness.sql`SELECT schedule_id FROM schedule_requests ORDER BY 1`;
    expect(left.map((row) => row.schedule_id)).toEqual([...kept].sort());
    expect(await harness.sql`SELECT id FROM schedules ORDER BY 1`).toHaveLength(2);
    const keys = await harness.sql`SELECT account_id FROM schedule_requests WHERE idempotency_key = 'a key'`;
    expect(keys.map((row) => row.account_id)).toEqual([indie.id]);
  });

  it("are deleted without a change of their month's usage", async () => {
    const account = await harness.account({ plan: "free" });
    await ended(account, 100 * DAY_MS);
    await finish(start());
    const [usage] = await harness.sql`SELECT scheduled FROM usage WHERE account_id = ${account.id}`;
    expect(usage?.scheduled).toBe(1);
  });
});

describe("attempts", () => {
  const dayOf = (agoMs: number) => new Date(Date.now() - agoMs).toISOString().slice(0, 10);
  const partition = (day: string) => `attempts_${day.replaceAll("-", "")}`;
  const partitions = async () =>
    (
      await harness.sql`SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'attempts'::regclass`
    ).map((row) => row.name as string);
  const make = (day: string) => harness.sql`SELECT make_attempt_partitions(${day}, 1)`;
  const insert = (attemptedAt: Date, sql = harness.sql) => sql`
    INSERT INTO attempts (schedule_id, attempt, attempted_at, account_id, env, outcome, latency_ms, error_text)
    VALUES (${newId(0)}, 1, ${attemptedAt}, ${newId(0)}, 'live', 'unreachable', 0, '')`;

  it("are deleted with the partition of their day a day after the longest window of any plan", async () => {
    const days = [31, 32, 33, 400].map((n) => dayOf(n * DAY_MS));
    for (const day of days) await make(day);
    expect(await finish(start())).toMatchObject({ "attempt partitions dropped": 3 });
    const left = await partitions();
    expect(days.map((day) => left.includes(partition(day)))).toEqual([true, false, false, false]);
    await finish(start({ plans: '{"indie":{"retentionDays":29}}' }));
    expect(await partitions()).not.toContain(partition(days[0] ?? ""));
  });

  it("have partitions for the eight days from today, also for a day whose attempts came before its partition", async () => {
    const today = partition(dayOf(0));
    await harness.sql`DROP TABLE ${harness.sql(today)}`;
    const at = new Date();
    await insert(at);
    expect(await harness.sql`SELECT 1 FROM attempts_default`).toHaveLength(1);
    expect(await finish(start())).toMatchObject({ "attempt partitions made": 1 });
    expect(await harness.sql`SELECT 1 FROM attempts_default`).toHaveLength(0);
    expect(await harness.sql`SELECT 1 FROM ${harness.sql(today)} WHERE attempted_at = ${at}`).toHaveLength(1);
    for (let day = 0; day < 8; day++) expect(await partitions()).toContain(partition(dayOf(-day * DAY_MS)));
    const [index] = await harness.sql`SELECT count(*)::int AS n FROM pg_indexes WHERE tablename = ${today}`;
    const [model] = await harness.sql`SELECT count(*)::int AS n FROM pg_indexes WHERE tablename = 'attempts'`;
    expect(index?.n).toBe(model?.n);
  });

  it("in the default partition are deleted by the same rule", async () => {
    for (const days of [500, 32, 30.5]) await insert(new Date(Date.now() - days * DAY_MS));
    await finish(start());
    const left = await harness.sql`SELECT attempted_at FROM attempts_default`;
    expect(left.map((row) => Math.round((Date.now() - row.attempted_at) / HOUR_MS))).toEqual([30.5 * 24]);
  });

  it("are recorded and read without delay while an old partition waits for a session that reads them all", async () => {
    const day = dayOf(50 * DAY_MS);
    await make(day);
    const release = await holding((sql) => sql`SELECT count(*) FROM attempts`);
    const retention = start();
    const tookMs: number[] = [];
    // The server ends a wait for a lock that takes longer than this, and the test fails.
    const beside = postgres(harness.databaseUrl, { max: 1, onnotice: () => {}, connection: { lock_timeout: 1_500 } });
    onTestFinished(() => beside.end());
    const until = performance.now() + 1_500;
    await Promise.all([
      (async () => {
        while (performance.now() < until) {
          await retention.runOnce();
          await pause(20);
        }
      })(),
      (async () => {
        while (performance.now() < until || tookMs.length < ROUNDS_MIN) {
          const before = performance.now();
          await recordAttempts(beside, []);
          await insert(new Date(), beside);
          await beside`SELECT 1 FROM attempts WHERE account_id = ${newId(0)} LIMIT 1`;
          tookMs.push(performance.now() - before);
        }
      })(),
    ]);
    // The lock is waited for 100 ms, once in five seconds, and others wait behind it for that time. It is never granted
    // meanwhile.
    expect(tookMs.filter((ms) => ms > 100).length).toBeLessThan(tookMs.length / 2);
    expect(await partitions()).toContain(partition(day));
    await release();
    await finish(start());
    expect(await partitions()).not.toContain(partition(day));
    expect(logs.filter(({ level }) => level >= 50)).toEqual([]);
  });
});

describe("a deleted account", () => {
  it("loses everything but its own row, whatever the retention of its plan", async () => {
    const [gone, kept] = [await harness.account(), await harness.account()];
    for (const account of [gone, kept]) {
      await ended(account, HOUR_MS);
      await ended(account, null);
    }
    await harness.sql`UPDATE accounts SET status = 'deleted', deleted_at = now() WHERE id = ${gone.id}`;
    await finish(start());
    const left = await harness.sql`SELECT DISTINCT account_id FROM schedule_requests`;
    expect(left.map((row) => row.account_id)).toEqual([kept.id]);
    const [account] = await harness.sql`SELECT erased_at, email FROM accounts WHERE id = ${gone.id}`;
    expect(account?.erased_at).toBeInstanceOf(Date);
    expect(account?.email).not.toContain("@");
  });
});

describe("API keys", () => {
  it("are deleted once they have been revoked for 30 days, and never while they are not revoked", async () => {
    const account = await harness.account();
    const rows = [null, 1, 29.9, 30.1, 400].map((days) => ({
      id: newId(Date.now()),
      account_id: account.id,
      env: "live",
      name: `${days}`,
      last4: "abcd",
      hash: randomBytes(32),
      created_at: new Date(Date.now() - 500 * DAY_MS),
      revoked_at: days === null ? null : new Date(Date.now() - days * DAY_MS),
    }));
    await harness.sql`INSERT INTO api_keys ${harness.sql(rows)}`;
    expect(await finish(start())).toMatchObject({ "revoked keys": 2 });
    const left = await harness.sql`SELECT name FROM api_keys WHERE account_id = ${account.id} ORDER BY name`;
    expect(left.map(({ name }) => name)).toEqual(["1", "29.9", "null"]);
  });
});

describe("counts of hosts", () => {
  it("are deleted when their hour has left the window of the account's plan", async () => {
    const { sql } = harness;
    const hourBefore = (hours: number) => new Date(Math.floor(Date.now() / HOUR_MS - hours) * HOUR_MS);
    for (const plan of ["free", "indie"] as const) {
      const account = await harness.account({ plan });
      for (const hours of [0, 7 * 24, 7 * 24 + 2, 30 * 24, 30 * 24 + 2]) {
        const hour = hourBefore(hours);
        await sql`
          INSERT INTO host_counts VALUES (${account.id}, 'test', ${hour}, ${`${plan} ${hours}`}, 200, 1, 0, ${hour}, ${hour}, ${hour}, ${hour})`;
        await sql`INSERT INTO counted_hosts VALUES (${account.id}, 'test', ${hour}, ${[`${plan} ${hours}`]})`;
      }
    }
    expect(await finish(start())).toMatchObject({ "counts of hosts": 4, "counted hosts": 4 });
    const left = ["free 0", "free 168", "indie 0", "indie 168", "indie 170", "indie 720"];
    expect((await sql`SELECT host FROM host_counts ORDER BY host`).map(({ host }) => host)).toEqual(left);
    expect((await sql`SELECT hosts[1] AS host FROM counted_hosts ORDER BY 1`).map(({ host }) => host)).toEqual(left);
  });
});

describe("counts, sessions, rotations of secrets and dispatchers", () => {
  it("are deleted when nothing shows them any more", async () => {
    const account = await harness.account();
    const { sql } = harness;
    for (const days of [0, 1.5, 31, 33]) {
      const hour = new Date(Date.now() - days * DAY_MS);
      await sql`INSERT INTO account_counts VALUES (${account.id}, 'test', ${hour}, 'outcome', 2, 1, NULL, NULL)`;
      await sql`INSERT INTO shard_punctuality VALUES (7, ${hour}, 3, 1, 1)`;
      const beat = { id: newId(Date.now()), host: "gone", pid: 1, version: "0", beat_at: hour };
      await sql`INSERT INTO dispatchers ${sql(beat)}`;
      const session = { token_hash: `hash ${days}`, account_id: account.id, expires_at: new Date(+hour + HOUR_MS) };
      await sql`INSERT INTO sessions ${sql(session)}`;
      await sql`INSERT INTO secret_rotations VALUES (${account.id}, 'test', ${`${days}`}, '', ${hour})`;
    }
    expect(await finish(start())).toMatchObject({
      counts: 1,
      "public counts": 2,
      dispatchers: 2,
      sessions: 3,
      "rotations of secrets": 3,
    });
    const [left] = await sql`
      SELECT (SELECT count(*)::int FROM account_counts) AS counts, (SELECT count(*)::int FROM shard_punctuality) AS public,
        (SELECT string_agg(token_hash, '') FROM sessions) AS session,
        (SELECT string_agg(idempotency_key, '') FROM secret_rotations) AS rotation`;
    expect(left).toEqual({ counts: 3, public: 2, session: "hash 0", rotation: "0" });
  });
});

describe("the work of retention", () => {
  /** Schedules with a payload, of the Free plan's account, that ended so long ago. */
  const many = (accountId: string, n: number, days: number) => harness.sql`
    WITH made AS (
      INSERT INTO schedules (id, account_id, env, shard, status, early_fire, fire_at, ended_at, payload_size_bytes, sealed_bytes, origin)
      SELECT gen_random_uuid(), ${accountId}, 'live', 0, 'succeeded', false, now(), now() - ${days} * interval '1 day', 1, 30, ''
      FROM generate_series(1, ${n}) RETURNING id)
    INSERT INTO schedule_requests (schedule_id, account_id, env, target_url, method, sealed, request_hash)
    SELECT id, ${accountId}, 'live', ${NOTHING}, 'POST', convert_to(repeat('x', 30), 'UTF8'), '\\x00' FROM made`;
  const unerased = async ({ id }: { id: string }) => {
    const [row] = await harness.sql`
      SELECT count(*)::int AS n FROM schedule_requests WHERE account_id = ${id} AND sealed IS NOT NULL`;
    return row?.n as number;
  };

  it("is done in batches over many accounts, and another process continues where one stopped", async () => {
    const accounts = [await harness.account({ plan: "free" }), await harness.account({ plan: "free" })] as const;
    for (const { id } of accounts) await many(id, 5_000, 50);
    const first = start();
    for (let taken = 0; taken === 0; ) taken = (await first.runOnce()).payloads ?? 0;
    const left = (await unerased(accounts[0])) + (await unerased(accounts[1]));
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(10_000);
    expect(await finish(start())).toMatchObject({ payloads: left, schedules: 0 });
    expect(logs).toContainEqual({ level: 30, msg: "retention", job: "payloads", rows: left, ms: expect.any(Number) });
  });

  it("is not begun by a process that does not own the fleet's work", async () => {
    const account = await harness.account({ plan: "free" });
    await many(account.id, 1, 50);
    expect(await start({ isMine: () => false }).runOnce()).toEqual({});
    expect(await unerased(account)).toBe(1);
  });

  it("of one kind that fails is logged once, and delays no other kind", async () => {
    const day = new Date(Date.now() - 60 * DAY_MS).toISOString().slice(0, 10);
    await harness.sql`SELECT make_attempt_partitions(${day}, 1)`;
    const name = `attempts_${day.replaceAll("-", "")}`;
    await harness.sql`CREATE VIEW somebodys AS SELECT * FROM ${harness.sql(name)}`;
    await many((await harness.account({ plan: "free" })).id, 3, 50);
    expect(await finish(start())).toMatchObject({ payloads: 3 });
    expect(logs.filter(({ level }) => level >= 50)).toEqual([
      expect.objectContaining({ job: "attempt partitions dropped" }),
    ]);
    await harness.sql`DROP VIEW somebodys`;
  });

  it("that takes longer than the statement timeout is cancelled, called so, and done in smaller batches; no row is left", async () => {
    const account = await harness.account({ plan: "free" });
    await many(account.id, 60, 50);
    await harness.sql`
      CREATE FUNCTION be_slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.02); RETURN NEW; END'`;
    await harness.sql`CREATE TRIGGER slow BEFORE UPDATE ON schedules FOR EACH ROW EXECUTE FUNCTION be_slow()`;
    const hasty = connect({
      url: harness.config.databaseUrl,
      name: "hasty",
      connectionsMax: 1,
      session: { ...RETENTION_SESSION, statement_timeout: 400 },
    });
    try {
      let aheadMs = 0;
      const retention = start({ on: hasty, monotonic: () => monotonicNow() + aheadMs });
      // A batch that took too long is tried again after five seconds.
      for (let taken = 0; taken < 60; aheadMs += 5_000) taken += (await finish(retention)).payloads ?? 0;
      expect(await unerased(account)).toBe(0);
      const warnings = logs.filter(({ level }) => level >= 40);
      expect(warnings.slice(0, 2)).toEqual(
        [200, 100].map((rowsMax) => ({
          level: 40,
          job: "payloads",
          rowsMax,
          timeoutMs: 5_000,
          msg: "a batch of retention took too long and was cancelled; the next one is half as large",
        })),
      );
      expect(await registry.metrics()).toContain(`failures_total{job="payloads"} ${warnings.length}\n`);
    } finally {
      await hasty.close();
      await harness.sql`DROP FUNCTION be_slow() CASCADE`;
    }
  });

  it("is counted for each job: rows taken, what is due up to 10,000 rows, how long the oldest has been, and partitions ahead", async () => {
    const account = await harness.account({ plan: "free" });
    await many(account.id, 20_000, 50);
    const retention = start();
    const figure = async (name: string, label = '{job="payloads"}') => {
      const lines = (await registry.metrics()).split("\n");
      const start = `stopwatch_retention_${name}${label} `;
      return Number(lines.find((line) => line.startsWith(start))?.slice(start.length));
    };
    let taken = 0;
    while (taken === 0) taken = (await retention.runOnce()).payloads ?? 0;
    expect(await figure("due_rows")).toBe(10_000);
    expect((await figure("oldest_due_seconds")) / 86_400).toBeCloseTo(43, 1);
    expect(await figure("rows_total")).toBe(taken);
    expect(await figure("partitions_ahead", "")).toBeGreaterThanOrEqual(7);
    await finish(retention);
    expect(await figure("due_rows")).toBe(0);
    expect(await figure("oldest_due_seconds")).toBe(0);
    expect(await figure("rows_total")).toBe(20_000);
  });

  it("is not counted by a process that does not own the fleet's work", async () => {
    await start({ isMine: () => false }).runOnce();
    const metrics = await registry.metrics();
    expect(metrics).not.toContain("due_rows{");
    expect(metrics).toMatch(/^stopwatch_retention_partitions_ahead N/m);
  });

  it("finds expired rows by its index alone, also beside many rows that are not expired", async () => {
    const account = await harness.account({ plan: "free" });
    await many(account.id, 300, 50);
    await many(account.id, 300, 100);
    await harness.sql`
      INSERT INTO schedules (id, account_id, env, shard, status, early_fire, fire_at, ended_at, payload_size_bytes, sealed_bytes, origin)
      SELECT gen_random_uuid(), ${account.id}, 'live', 0, 'succeeded', false, now(), now() - interval '1 day', 1, n % 2, ''
      FROM generate_series(1, 100000) n`;
    const reads = async () => {
      await harness.sql`SELECT pg_stat_force_next_flush()`;
      const [row] = await harness.sql`
        SELECT idx_tup_fetch::int AS rows, seq_scan::int AS scans FROM pg_stat_user_tables WHERE relname = 'schedules'`;
      return row as unknown as { rows: number; scans: number };
    };
    await database.run(5_000, ({ sql }) => sql`SELECT pg_stat_force_next_flush()`);
    const before = await reads();
    expect(await finish(start())).toMatchObject({ payloads: 300, schedules: 300 });
    await database.run(5_000, ({ sql }) => sql`SELECT pg_stat_force_next_flush()`);
    const after = await reads();
    expect(after.rows - before.rows).toBeLessThan(5_000);
    expect(after.scans - before.scans).toBeLessThanOrEqual(0);
  });

  it("looks each row up by its key also when the statistics say that the tables are empty", async () => {
    const account = await harness.account({ plan: "free" });
    await many(account.id, 5_000, 50);
    await many(account.id, 5_000, 100);
    // As ANALYZE leaves them when it runs beside the transaction that inserts the first rows.
    await harness.sql`
      UPDATE pg_class SET reltuples = 0, relpages = 100 WHERE relname IN ('schedules', 'schedule_requests')`;
    const read = async () => {
      await database.run(5_000, ({ sql }) => sql`SELECT pg_stat_force_next_flush()`);
      const [row] = await harness.sql`
        SELECT sum(seq_tup_read + idx_tup_fetch)::int AS rows FROM pg_stat_user_tables
        WHERE relname IN ('schedules', 'schedule_requests')`;
      return row?.rows as number;
    };
    const before = await read();
    expect(await finish(start())).toMatchObject({ payloads: 5_000, schedules: 5_000 });
    expect((await read()) - before).toBeLessThan(250_000);
  });
});

/** Locks what `work` changes, in a transaction that stays open. Returns how to end it. */
async function holding(work: (sql: postgres.Sql) => Promise<unknown>) {
  const session = postgres(harness.databaseUrl, { max: 1, onnotice: () => {} });
  await session`BEGIN`;
  await work(session);
  // The server lets go of the rows when it has answered, and some time after the end of the connection otherwise.
  const release = async () => {
    await session`ROLLBACK`.catch(() => {});
    await session.end({ timeout: 0 });
  };
  onTestFinished(release);
  return release;
}
