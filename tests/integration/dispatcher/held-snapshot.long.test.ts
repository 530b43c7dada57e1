// Guards: db/queries/fleet/**, db/queries/schedules/**, db/queries/attempts/**, db/functions/**, dispatcher/intake/**, dispatcher/recording/recovery.ts, dispatcher/shards.ts
import postgres from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readMonth } from "#db/queries/accounts/usage.ts";
import { recordAttempts } from "#db/queries/attempts/record.ts";
import { readFleet } from "#db/queries/fleet/dispatchers.ts";
import { readQueueFigures } from "#db/queries/fleet/queue-figures.ts";
import { type BeatingDispatcher, sendHeartbeat, takeShards } from "#db/queries/fleet/shard-leases.ts";
import { readStanding } from "#db/queries/fleet/standing.ts";
import { claimSchedules } from "#db/queries/schedules/claim.ts";
import { createSchedule } from "#db/queries/schedules/create.ts";
import { createSchedules } from "#db/queries/schedules/create-bulk.ts";
import { after, readDueById } from "#db/queries/schedules/due.ts";
import {
  auditLanes,
  BEFORE_ALL_LANES,
  findComingLanes,
  findLanesWithMore,
  raiseLanes,
  readDueLanes,
  readDueOfLanes,
} from "#db/queries/schedules/due-lanes.ts";
import { readExpiredClaims } from "#db/queries/schedules/expired-claims.ts";
import { readScheduleFigures } from "#db/queries/schedules/figures.ts";
import { IN_ORDER, SESSION } from "#dispatcher/databases.ts";
import { HELD_TRANSACTIONS } from "../../helpers/held-transactions.ts";
import { buffersOf, watchStatements } from "../../helpers/statements.ts";
import { createLaneHarness, type LaneHarness, LIMITS, newSchedule, outcomeOf } from "../db/lane-harness.ts";

/** Each leaves two dead versions of its row. */
const DELIVERIES = 150_000;
const AT_ONCE = 5_000;
/** The heartbeats of an hour. */
const BEATS = 1_800;
const CREATED = 3_000;
/** How often each of the lanes below falls idle in an hour and has something due again. */
const CYCLES = 50;

const EPOCHS = new Map(Array.from({ length: 64 }, (_, shard) => [shard, 1]));
const SHARDS = [...EPOCHS.keys()];

let harness: LaneHarness;
let watched: ReturnType<typeof watchStatements>;
/** A lane with half of the deliveries, lanes with the others, which also fall idle, and one that creates. */
let busy: string;
let others: string[];
let creator: string;

beforeAll(async () => {
  harness = await createLaneHarness();
  watched = watchStatements(harness.url, { ...SESSION, ...IN_ORDER });
  [busy, creator] = [await harness.account(), await harness.account()];
  others = await Promise.all(Array.from({ length: 20 }, () => harness.account()));
  await beat();
});
afterAll(async () => {
  await watched.close();
  await harness.close();
});

const live = (accountId: string) => ({ accountId, env: "live" as const });

const dispatcher = (): BeatingDispatcher => ({
  id: harness.dispatcherId,
  host: "host",
  pid: 1,
  version: "0.0.0",
  skewMs: 0,
  recoveredToMs: Date.now() - 10_000,
  openFromMs: Date.now() - 1_000,
});

const beat = () => harness.dispatcher.begin((tx) => sendHeartbeat(tx, dispatcher()));

async function insertDue(account: string, count: number): Promise<string[]> {
  const rows = await harness.web`
    WITH made AS (
      INSERT INTO schedules (id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes, sealed_bytes, origin)
      SELECT gen_random_uuid(), ${account}, 'live', a.shard, false, now(), now(), 0, 0, 'https://example.com'
      FROM generate_series(1, ${count}::int) n, accounts a WHERE a.id = ${account} RETURNING id)
    INSERT INTO schedule_requests (schedule_id, account_id, env, target_url, method, request_hash)
    SELECT id, ${account}, 'live', 'https://example.com/', 'POST', '' FROM made RETURNING schedule_id AS id`;
  return rows.map(({ id }) => id);
}

/** Deliveries of the last hour, up to two minutes ago, each with the versions of its row that a claim and a record leave. */
async function deliverOfLastHour(): Promise<void> {
  const { web } = harness;
  const at = web`now() - interval '2 minutes' - n * interval '1 hour' / ${AT_ONCE}::int`;
  for (let n = 0; n < DELIVERIES / AT_ONCE; n++) {
    await web`
      INSERT INTO schedules (id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes, sealed_bytes, origin)
      SELECT gen_random_uuid(), a.id, 'live', a.shard, false, ${at}, ${at}, 0, 0, 'https://example.com'
      FROM generate_series(1, ${AT_ONCE}::int) n, accounts a WHERE a.id = ${n % 2 ? busy : (others[n % 20] as string)}`;
    await web`
      UPDATE schedules SET status = 'firing', attempts = 1, claim_deadline = next_attempt_at + interval '35 s'
      WHERE status = 'scheduled' AND next_attempt_at < now() - interval '1 minute'`;
    await web`
      UPDATE schedules SET status = 'succeeded', next_attempt_at = NULL, claim_deadline = NULL, ended_at = now()
      WHERE status = 'firing'`;
  }
}

/** What the loops of a dispatcher and the calls of users do in an hour besides. */
async function workForAnHour(): Promise<void> {
  const { web } = harness;
  for (let n = 0; n < BEATS; n++) await beat();
  for (let n = 0; n < CREATED; n++)
    await web`
      SELECT count_usage(${creator}, 'live', p.period, u.part, u.used + 1)
      FROM to_char(now() AT TIME ZONE 'utc', 'YYYYMM') p(period), lock_usage(${creator}, 'live', p.period) u`;
  for (let n = 0; n < CYCLES; n++) {
    for (const id of others)
      await web`SELECT lower_lane(${id}, 'live', 1::smallint, now() - ${CYCLES - n + 2} * interval '1 minute')`;
    await raiseLanes(harness.dispatcher, others.map(live));
  }
}

/**
 * All statements that the loops of a dispatcher send by the clock or for each delivery, and those that each creation, page
 * and scrape sends.
 */
async function statements(): Promise<Record<string, () => Promise<unknown>>> {
  const { sql } = watched;
  const { dispatcherId } = harness;
  const due = await insertDue(busy, 50);
  const claimed = await harness.claim(await insertDue(others[1] as string, 50));
  const [account] = await harness.web`SELECT shard FROM accounts WHERE id = ${busy}`;
  const wanted = due.map((id) => ({ id, version: 1, shard: account?.shard, earlyMs: 0 }));
  const now = Date.now();
  const incarnation = { systemIdentifier: null, timeline: null, databaseOid: null, tableOid: null };
  return {
    "standing of the database": () => readStanding(sql, dispatcherId),
    "heartbeat with its renewal": () => sendHeartbeat(sql, dispatcher()),
    "search for free shards": () => takeShards(sql, dispatcherId, { limit: 1, onlyGivenUp: false, incarnation }),
    fleet: () => readFleet(sql),
    "claim of 50": () => claimSchedules(sql, dispatcherId, EPOCHS, wanted, 1),
    "record of 50": () =>
      recordAttempts(
        sql,
        claimed.map((claim) => outcomeOf(claim)),
      ),
    "read of a busy lane": () =>
      readDueOfLanes(sql, [{ ...live(busy), from: after(now - 1_000), untilMs: now + 10_000, limit: 60 }]),
    "read of 50 by id": () => readDueById(sql, due, now + 10_000),
    "watch of all shards": () =>
      findComingLanes(
        sql,
        SHARDS.map((id) => ({ id, from: after(now - 500) })),
        now + 4_000,
        32,
      ),
    "reconciliation of a busy lane": () =>
      findLanesWithMore(sql, [{ ...live(busy), fromMs: now - 60_000, to: after(now + 4_000), known: 60 }]),
    recovery: () =>
      readExpiredClaims(
        sql,
        SHARDS.map((id) => ({ id, fromMs: now - 10_000 })),
        500,
      ),
    "raise of 20 idle lanes": () => raiseLanes(sql, others.map(live), now - 10_000),
    "sweep of the calendar": () =>
      readDueLanes(
        sql,
        SHARDS.map((id) => ({ id, from: { ...BEFORE_ALL_LANES, ms: now - 60_000 } })),
        now + 4_000,
        64,
      ),
    "audit of lanes": () => auditLanes(sql, null, 1_000, now - 60_000),
    create: () => createSchedule(sql, live(creator), LIMITS, newSchedule(now + 60_000)),
    "create of 100": () =>
      createSchedules(
        sql,
        live(creator),
        LIMITS,
        Array.from({ length: 100 }, () => newSchedule(now + 60_000)),
        () => {},
      ),
    "usage of the month": () => readMonth(sql, live(creator)),
    "figures of a page": () => readScheduleFigures(sql, live(busy), new Date(now - 86_400_000)),
    "figures of the queue": () => readQueueFigures(sql),
  };
}

/** The shared buffers that each of the statements looks at. */
async function measure(): Promise<Record<string, number>> {
  await beat();
  const costs: Record<string, number> = {};
  for (const [name, work] of Object.entries(await statements())) costs[name] = await costOf(work);
  await harness.web`UPDATE schedules SET status = 'scheduled', attempts = 0, claim_deadline = NULL WHERE status = 'firing'`;
  await harness.web`DELETE FROM schedules WHERE status = 'scheduled'`;
  return costs;
}

/** The buffers of the statements that `work` sends. Their changes are rolled back. */
async function costOf(work: () => Promise<unknown>): Promise<number> {
  const { sql } = watched;
  const inVain = async <T>(run: () => Promise<T>): Promise<T> => {
    await sql`BEGIN`;
    try {
      return await run();
    } finally {
      await sql`ROLLBACK`;
    }
  };
  const sent = await inVain(() => watched.of(work));
  const ofQueries = sent.filter(({ text }) => !/^(begin|commit)/i.test(text));
  // The first run also reads what the planner looks up.
  await inVain(() => watched.explainAll(ofQueries));
  const { plans } = await inVain(() => watched.explainAll(ofQueries));
  return plans.reduce((sum, plan) => sum + buffersOf(plan), 0);
}

/** An index that has grown by a level costs a buffer more for each key that is looked up in it: in each shard, here. */
const LEVEL_OF_EACH_SHARD = 64;

/** The row of a lane gets a version each time that it is raised or lowered: twice when it falls idle and is due again. */
const VERSIONS_OF_LANES = { "raise of 20 idle lanes": 20 * 2 * CYCLES } as Record<string, number>;

it("while a session holds a snapshot for an hour of 150,000 deliveries, every statement of the loops looks at no more than a fifth more buffers than before, in spite of 300,000 dead rows", {
  timeout: 600_000,
}, async () => {
  const anHour = async () => {
    await deliverOfLastHour();
    await workForAnHour();
    await harness.web`ANALYZE`;
    return measure();
  };
  // Without the snapshot, what reads dead rows removes them.
  const fresh = await anHour();
  const report = postgres(harness.url, { max: 1, onnotice: () => {}, connection: HELD_TRANSACTIONS });
  try {
    await report`BEGIN ISOLATION LEVEL REPEATABLE READ`;
    await report`SELECT count(*) FROM schedules`;
    const held = await anHour();
    const [holder] = await harness.web`
      SELECT age(backend_xmin) AS transactions FROM pg_stat_activity
      WHERE datname = current_database() AND state = 'idle in transaction' AND backend_xmin IS NOT NULL`;
    expect(holder?.transactions).toBeGreaterThan(CREATED);
    const grown = Object.entries(held).map(([name, n]) => ({ name, fresh: fresh[name] as number, held: n }));
    const most = (name: string, before: number) => 1.2 * before + LEVEL_OF_EACH_SHARD + (VERSIONS_OF_LANES[name] ?? 0);
    expect(grown.filter((one) => one.held > most(one.name, one.fresh))).toEqual([]);
  } finally {
    await report.end({ timeout: 0 });
  }
});
