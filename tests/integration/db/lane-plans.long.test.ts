// Guards: db/queries/schedules/**, db/functions/**, db/migrations/**
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BEFORE_ALL } from "#db/queries/schedules/due.ts";
import {
  auditLanes,
  BEFORE_ALL_LANES,
  type LaneId,
  raiseLanes,
  readDueLanes,
  readDueOfLanes,
  readEntries,
} from "#db/queries/schedules/due-lanes.ts";
import { SESSION } from "#dispatcher/databases.ts";
import { chosenMajor } from "#tests/helpers/postgres-release.ts";
import { enterLanes } from "../../helpers/lanes.ts";
import { nodesOf, type PlanNode, watchStatements } from "../../helpers/statements.ts";
import { createLaneHarness, type LaneHarness } from "./lane-harness.ts";

const [ROWS, LANES, DUE] = [200_000, 100_000, 300];

let harness: LaneHarness;
let watched: ReturnType<typeof watchStatements>;
/** The lane with many overdue rows. */
let crowded: LaneId;
let nowMs: number;

beforeAll(async () => {
  harness = await createLaneHarness();
  watched = watchStatements(harness.url, { ...SESSION, statement_timeout: 60_000 });
});
afterAll(async () => {
  await watched.close();
  await harness.close();
});

const allShards = () => Array.from({ length: 64 }, (_, id) => ({ id, from: BEFORE_ALL_LANES }));

/** Runs `work` once and returns the scans of its statements. */
async function scansOf(work: () => Promise<unknown>): Promise<PlanNode[]> {
  const { plans } = await watched.explainAll(await watched.of(work));
  expect(plans.length).toBeGreaterThan(0);
  return plans.flatMap(nodesOf).filter((node) => node["Relation Name"] !== undefined);
}
/** How many rows a scan read, at least: before PostgreSQL 18 the mean of its loops is rounded, by up to half a row. */
const rowsOf = (scan: PlanNode) => {
  const mean = (scan["Actual Rows"] ?? 0) + (scan["Rows Removed by Filter"] ?? 0);
  const roundedUpBy = scan["Actual Loops"] > 1 && chosenMajor < 18 ? 0.5 : 0;
  return (mean - roundedUpBy) * scan["Actual Loops"];
};

/** What `work` reads of `schedules` inside functions: rows by its indexes, and scans of the whole table. */
async function readsOf(work: () => Promise<unknown>): Promise<{ rows: number; scans: number }> {
  const counters = async () => {
    await watched.sql`SELECT pg_stat_force_next_flush()`;
    const [row] = await watched.sql<[{ rows: number; scans: number }]>`
      SELECT (SELECT sum(idx_tup_read)::int FROM pg_stat_user_indexes WHERE relname = 'schedules') AS rows,
        (SELECT seq_scan::int FROM pg_stat_user_tables WHERE relname = 'schedules') AS scans`;
    return row;
  };
  const before = await counters();
  await work();
  const after = await counters();
  return { rows: after.rows - before.rows, scans: after.scans - before.scans };
}

describe.each<[string, () => Promise<unknown>]>([
  [
    `${ROWS} overdue rows of one lane, in tables that were never analysed`,
    async () => {
      crowded = { accountId: await harness.account(), env: "live" };
      await harness.web`ALTER TABLE schedules SET (autovacuum_enabled = off)`;
      await harness.web`ALTER TABLE lanes SET (autovacuum_enabled = off)`;
      await harness.web`
        INSERT INTO schedules (id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes, sealed_bytes, origin)
        SELECT gen_random_uuid(), a.id, 'live', a.shard, false, at, at, 0, 0, 'https://example.com'
        FROM accounts a, generate_series(1, ${ROWS}) n, date_trunc('milliseconds', now() - n * interval '3 ms') at
        WHERE a.id = ${crowded.accountId}`;
      await enterLanes(harness.web);
      nowMs = Date.now();
    },
  ],
  [
    `${LANES} other lanes, of which ${DUE} are due, and statistics`,
    async () => {
      await harness.web`
        INSERT INTO accounts (id, email, plan) SELECT id, id || '@example.com', 'indie'
        FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, ${LANES})) a`;
      await harness.web`
        INSERT INTO schedules (id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes, sealed_bytes, origin)
        SELECT gen_random_uuid(), a.id, 'test', a.shard, false, at, at, 0, 0, 'https://example.com'
        FROM (SELECT id, shard, row_number() OVER () AS n FROM accounts) a,
          date_trunc('milliseconds', now() + CASE WHEN n <= ${DUE} THEN '-1 min' ELSE '1 day' END::interval) at`;
      await enterLanes(harness.web);
      await harness.web`ANALYZE`;
      nowMs = Date.now();
    },
  ],
  ["the same after a vacuum", () => harness.web`VACUUM ANALYZE`.simple()],
])("with %s", (_name, prepare) => {
  beforeAll(prepare, 240_000);

  it("due lanes are read from their index alone, and no more index rows than lanes are read", async () => {
    let found: LaneId[] = [];
    const scans = await scansOf(async () => {
      found = await readDueLanes(watched.sql, allShards(), nowMs, 2_000);
    });
    expect(scans.map((scan) => [scan["Node Type"], scan["Index Name"]])).toEqual([["Index Only Scan", "lanes_due"]]);
    expect(found.length).toBeLessThanOrEqual(DUE + 1);
    expect(Math.round(rowsOf(scans[0] as PlanNode))).toBeLessThanOrEqual(found.length);
  });

  it("entries of the calendar are read by the keys of their lanes, one row each", async () => {
    const lanes = await readDueLanes(watched.sql, allShards(), nowMs, 2_000);
    const scans = await scansOf(async () => {
      const entries = await readEntries(watched.sql, lanes);
      expect(entries).toEqual(lanes.map(({ accountId, env, dueAtMs }) => ({ accountId, env, dueAtMs })));
    });
    expect(scans.map((scan) => [scan["Node Type"], scan["Index Name"]])).toEqual([
      ["Index Scan", "lanes_account_id_env_pk"],
    ]);
    expect(Math.round(rowsOf(scans[0] as PlanNode))).toBeLessThanOrEqual(lanes.length);
  });

  it("the rows of a lane are read by the index of its account, behind its place and up to its limit", async () => {
    const lanes = await readDueLanes(watched.sql, allShards(), nowMs, 2_000);
    expect(lanes).toContainEqual(expect.objectContaining(crowded));
    for (const from of [BEFORE_ALL, { ...BEFORE_ALL, ms: nowMs - (ROWS * 3) / 2 }]) {
      let found: unknown[] = [];
      const wanted = lanes.map(({ accountId, env }) => ({ accountId, env, from, untilMs: nowMs, limit: 64 }));
      const scans = await scansOf(async () => {
        found = await readDueOfLanes(watched.sql, wanted);
      });
      expect(found.length).toBe(64 + lanes.length - 1);
      const byTable = (name: string) => scans.filter((scan) => scan["Relation Name"] === name);
      expect(byTable("schedules").map((scan) => [scan["Node Type"], scan["Index Name"]])).toEqual([
        ["Index Scan", "schedules_due_of_account"],
      ]);
      expect(rowsOf(byTable("schedules")[0] as PlanNode)).toBeLessThanOrEqual(found.length + lanes.length);
      for (const [table, index] of [
        ["accounts", "accounts_pkey"],
        ["relay_settings", "relay_settings_pkey"],
      ] as const) {
        for (const scan of byTable(table)) {
          expect(scan["Index Name"]).toBe(index);
          expect(scan["Actual Loops"]).toBeLessThanOrEqual(lanes.length);
        }
      }
    }
  });

  it("raising and auditing a lane reads one or two rows", async () => {
    const lanes = (await readDueLanes(watched.sql, allShards(), nowMs, 2_000)).slice(0, 100);
    const raising = await readsOf(async () => expect(await raiseLanes(watched.sql, lanes)).toHaveLength(lanes.length));
    expect(raising.scans).toBe(0);
    expect(raising.rows).toBeLessThanOrEqual(2 * lanes.length);
    const auditing = await readsOf(() => auditLanes(watched.sql, null, 1_000));
    expect(auditing.scans).toBe(0);
    expect(auditing.rows).toBeLessThanOrEqual(2_000);
  });
});
