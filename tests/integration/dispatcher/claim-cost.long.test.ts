// Guards: dispatcher/claiming/**, db/functions/**, db/queries/schedules/**, db/migrations/**

import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { claimSchedules } from "#db/queries/schedules/claim.ts";
import { BEFORE_ALL } from "#db/queries/schedules/due.ts";
import { findComingLanes } from "#db/queries/schedules/due-lanes.ts";
import { SESSION } from "#dispatcher/databases.ts";
import { newId } from "#domain/ids.ts";
import type { Receiver } from "#scripts/lab/receiver.ts";
import type { DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { enterLanes } from "../../helpers/lanes.ts";
import { expectOnTime } from "../../helpers/on-time.ts";
import { countStalls } from "../../helpers/stalls.ts";
import { inMs } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { withDispatchHarness } from "../../helpers/with-dispatch-harness.ts";

const ME = newId(0);
const AT_ONCE = 50;

let receiver: Receiver;
let harness: DispatchHarness;
/** A session with the settings of the dispatcher's. */
let session: postgres.Sql;
let account: Awaited<ReturnType<DispatchHarness["account"]>>;
let captured: { text: string; parameters: unknown[] };

withDispatchHarness({}, (made) => {
  ({ receiver, harness } = made);
});
beforeAll(async () => {
  session = postgres(harness.databaseUrl, {
    max: 1,
    onnotice: () => {},
    connection: SESSION as never,
    debug: (_connection, text, parameters) => {
      captured = { text, parameters };
    },
  });
  account = await harness.account();
  // No claim reads it, and it makes inserting many rows slow.
  await harness.sql`DROP INDEX schedule_requests_search`;
});
afterAll(async () => {
  await session.end();
});

type Explained = { buffers: number; ms: number };

/** The cost of the statement that `run` sends. All its changes are rolled back. */
async function explain(run: () => Promise<unknown>): Promise<Explained> {
  await session`BEGIN`;
  await run();
  const { text, parameters } = captured;
  await session`ROLLBACK`;
  await session`BEGIN`;
  const [row] = await session.unsafe(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, parameters as never[]);
  await session`ROLLBACK`;
  const [explained] = row?.["QUERY PLAN"] ?? [];
  const plan = explained?.Plan;
  return { buffers: plan["Shared Hit Blocks"] + plan["Shared Read Blocks"], ms: explained["Execution Time"] };
}

/** Schedules with a payload that are due now. */
async function due(n: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < n; made++)
    ids.push(await harness.schedule(account, `${receiver.origin}/`, inMs(60_000), { payload: "x".repeat(1_024) }));
  await harness.sql`UPDATE schedules SET fire_at = now(), next_attempt_at = now() WHERE id = ANY (${ids})`;
  return ids;
}

async function claim(ids: string[]) {
  await harness.sql`UPDATE shards SET owner = ${ME}, epoch = 1, lease_until = 'infinity'`;
  const [row] = await harness.sql`SELECT shard FROM accounts WHERE id = ${account.id}`;
  const wanted = ids.map((id) => ({ id, version: 1, shard: row?.shard, earlyMs: 0 }));
  return explain(async () => {
    const claimed = await claimSchedules(session, ME, new Map([[row?.shard, 1]]), wanted, 1);
    expect(claimed).toHaveLength(ids.length);
  });
}

/** The median duration of five runs, ms. */
async function medianMs(run: () => Promise<Explained>): Promise<number> {
  const tookMs: number[] = [];
  for (let n = 0; n < 5; n++) tookMs.push((await run()).ms);
  return tookMs.sort((a, b) => a - b)[2] as number;
}

const EVERYTHING = Array.from({ length: 64 }, (_, id) => ({ id, from: BEFORE_ALL }));

describe("a claim", () => {
  it("reads at most a fifth more in a table in use with 200,000 schedules that are due later than in one without them", async () => {
    await insertRows(20_000, "-1 minute");
    await deliverAll();
    const ids = await due(AT_ONCE);
    await harness.sql`VACUUM ANALYZE`;
    const alone = await claim(ids);
    await insertRows(200_000, "30 days");
    await harness.sql`VACUUM ANALYZE`;
    const beside = await claim(await due(AT_ONCE));
    expect(alone.buffers).toBeGreaterThan(AT_ONCE);
    expect(beside.buffers / alone.buffers).toBeLessThanOrEqual(1.2);
  });

  it("is not slowed down by the dead rows of 50,000 deliveries that an old snapshot keeps", async () => {
    const snapshot = postgres(harness.databaseUrl, { max: 1, onnotice: () => {} });
    onTestFinished(() => snapshot.end({ timeout: 0 }));
    await snapshot`SET idle_in_transaction_session_timeout = 0`;
    await snapshot`BEGIN ISOLATION LEVEL REPEATABLE READ`;
    await snapshot`SELECT count(*) FROM schedules`;
    const first = await due(AT_ONCE);
    const before = await medianMs(() => claim(first));
    for (let n = 0; n < 10; n++) {
      await insertRows(5_000, "-1 minute");
      await deliverAll();
      await harness.sql`VACUUM ANALYZE schedules`;
    }
    const ids = await due(AT_ONCE);
    // A plan that scans the dead rows takes a hundred times as long.
    expect((await medianMs(() => claim(ids))) / before).toBeLessThan(20);
    const find = () => findComingLanes(session, EVERYTHING, Date.now() + 4_000, 2_000);
    expect((await medianMs(() => explain(find))) / before).toBeLessThan(200);

    await harness.sql`UPDATE shards SET owner = NULL, lease_until = '-infinity'`;
    await harness.dispatcher();
    // The following measures reading in the steady state. So everything that is due already is delivered first.
    await waitFor("it is at work", async () => (await harness.read(ids[0] ?? "")).status === "succeeded");
    const stalled = countStalls();
    const soon = await Promise.all(Array.from({ length: 20 }, (_, n) => later(1_500 + 50 * n)));
    const done = await waitFor("they are delivered", async () => {
      const rows = await harness.sql`
        SELECT offset_ms::int FROM schedules WHERE id = ANY (${soon}) AND status = 'succeeded'`;
      return rows.length === soon.length && rows;
    });
    const stalledMs = stalled();
    for (const row of done) expectOnTime(row.offset_ms, 2_000, stalledMs);
  });
});

const later = async (ms: number) => harness.schedule(await harness.account(), `${receiver.origin}/`, inMs(ms));

/** Rows as `create_schedule` makes them, due `dueIn` from now. */
async function insertRows(count: number, dueIn: string) {
  await harness.sql`
  WITH made AS (
    INSERT INTO schedules (id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes, sealed_bytes, origin)
    SELECT gen_random_uuid(), ${account.id}, 'live', n % 64, false, now() + ${dueIn}::interval, now() + ${dueIn}::interval, 0, 0, 'https://example.com'
    FROM generate_series(1, ${count}) n RETURNING id)
  INSERT INTO schedule_requests (schedule_id, account_id, env, target_url, method, request_hash)
  SELECT id, ${account.id}, 'live', 'https://example.com/', 'POST', '\\x00' FROM made`;
  await enterLanes(harness.sql);
}

/** Runs both updates of a delivery, those of a claim and a record, on the due rows. */
async function deliverAll() {
  await harness.sql`
    UPDATE schedules SET status = 'firing', attempts = 1, claim_deadline = now() + interval '35 s'
    WHERE next_attempt_at < now() AND status = 'scheduled'`;
  await harness.sql`
    UPDATE schedules SET status = 'succeeded', next_attempt_at = NULL, claim_deadline = NULL, ended_at = now()
    WHERE status = 'firing'`;
}
