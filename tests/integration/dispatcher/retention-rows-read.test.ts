import postgres from "postgres";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { SESSION } from "#dispatcher/databases.ts";
import { createTestAccounts } from "../../helpers/accounts.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { retentionJob } from "../../helpers/retention-jobs.ts";
import { nodesOf, type PlanNode, watchStatements } from "../../helpers/statements.ts";

const ROWS_MAX = 100;

let harness: DispatchHarness;
let watched: ReturnType<typeof watchStatements>;

beforeAll(async () => {
  harness = await createDispatchHarness({});
  watched = watchStatements(harness.databaseUrl, SESSION);
});
beforeEach(async () => {
  await harness.sql`TRUNCATE schedules, schedule_requests, attempts, account_counts, host_counts, sessions, notices`;
  await harness.sql`DELETE FROM accounts`;
});
afterAll(async () => {
  await watched.close();
  await harness.close();
});

const FREE = { retentionDays: 7, terminalDays: 90 };
type Content = { accounts: number; rowsEach: number };
type Fill = (accountIds: string[], rowsEach: number) => Promise<unknown>;

/**
 * Schedules of each account that ended so long ago, a millisecond after each other, every one with an attempt. They are
 * stored in another order, so that rows that ended one after the other share no block.
 */
const ended =
  (days: number, sealedBytes: number): Fill =>
  async (accountIds, rowsEach) => {
    await harness.sql`
      WITH made AS (
        INSERT INTO schedules (id, account_id, env, shard, status, early_fire, fire_at, ended_at, payload_size_bytes,
          sealed_bytes, origin, created_at)
        SELECT gen_random_uuid(), account_id, 'live', 0, 'succeeded', false, now(), at, ${sealedBytes}, ${sealedBytes}, '', at
        FROM unnest(${accountIds}::uuid[]) account_id, generate_series(1, ${rowsEach}) n,
          LATERAL (SELECT now() - ${days} * interval '1 day' + n * interval '1 millisecond' AS at) ended
        ORDER BY md5(n::text)
        RETURNING id, account_id, created_at
      ), attempted AS (
        INSERT INTO attempts (schedule_id, attempt, attempted_at, account_id, env, outcome, latency_ms, error_text)
        SELECT id, 1, created_at, account_id, 'live', 'unreachable', 0, '' FROM made)
      INSERT INTO schedule_requests (schedule_id, account_id, env, target_url, method, sealed, request_hash, created_at)
      SELECT id, account_id, 'live', 'https://example.com/', 'POST', CASE WHEN ${sealedBytes}::integer > 0 THEN '\\x01'::bytea END,
        '\\x00', created_at FROM made`;
  };

const counts: Fill = (accountIds, rowsEach) => harness.sql`
  INSERT INTO account_counts (account_id, env, hour, kind, bucket, n)
  SELECT account_id, 'live', date_trunc('hour', now()) - (40 * 24 + n) * interval '1 hour', 'outcome', 2, 1
  FROM unnest(${accountIds}::uuid[]) account_id, generate_series(1, ${rowsEach}) n`;

const countsOfHosts: Fill = (accountIds, rowsEach) => harness.sql`
  INSERT INTO host_counts (account_id, env, hour, host, code, n, dead, first_at, last_at, first_due, last_due)
  SELECT account_id, 'live', date_trunc('hour', now()) - (k * 24 + n) * interval '1 hour', n || '.example', 200, 1, 0,
    now(), now(), now(), now()
  FROM unnest(${accountIds}::uuid[]) account_id, generate_series(1, ${rowsEach}) n, unnest(ARRAY[0, 40]) k`;

const deleted: Fill = async (accountIds, rowsEach) => {
  await ended(1, 30)(accountIds, rowsEach);
  await harness.sql`UPDATE accounts SET status = 'deleted', deleted_at = now()`;
};

const sessions: Fill = (accountIds, rowsEach) => harness.sql`
  INSERT INTO sessions (token_hash, account_id, expires_at)
  SELECT gen_random_uuid(), account_id, now() - n * interval '1 minute'
  FROM unnest(${accountIds}::uuid[]) account_id, generate_series(1, ${rowsEach}) n ORDER BY md5(n::text)`;

const notices: Fill = (accountIds, rowsEach) => harness.sql`
  INSERT INTO notices (id, account_id, kind, content, created_at, next_try_at)
  SELECT gen_random_uuid(), account_id, 'dead', '{}', now() - interval '70 days' - n * interval '1 minute', now()
  FROM unnest(${accountIds}::uuid[]) account_id, generate_series(1, ${rowsEach}) n`;

/** Attempts of days that have no partition, expired and recent. */
const unpartitioned: Fill = async (accountIds, rowsEach) => {
  for (const days of [200, 20]) {
    await harness.sql`
      INSERT INTO attempts (schedule_id, attempt, attempted_at, account_id, env, outcome, latency_ms, error_text)
      SELECT gen_random_uuid(), 1, now() - ${days} * interval '1 day' + n * interval '1 millisecond', account_id, 'live',
        'unreachable', 0, ''
      FROM unnest(${accountIds}::uuid[]) account_id, generate_series(1, ${rowsEach}) n ORDER BY md5(n::text)`;
  }
};

async function fill(content: Content, ...fills: Fill[]) {
  const ids = await createTestAccounts(harness.sql, harness.config.keyRing, content.accounts);
  await harness.sql`UPDATE accounts SET plan = 'free'`;
  for (const one of fills) await one(ids, content.rowsEach);
  await harness.sql`ANALYZE`.simple();
}

type Explained = PlanNode & { "Shared Hit Blocks": number; "Shared Read Blocks": number };

/** Runs a job's batches, and explains those for which `isWanted`. The rows that each took, and the plans of it. */
async function* batchesOf(name: string, isWanted: (batch: number) => boolean = () => true) {
  const { sql } = watched;
  const { batch, first } = retentionJob(name);
  let cursor = first;
  for (let n = 0; n === 0 || cursor !== null; n++) {
    if (!isWanted(n)) {
      cursor = (await batch(sql, cursor, ROWS_MAX)).next;
      continue;
    }
    await sql`BEGIN`;
    let rows = 0;
    const statements = await watched.of(async () => {
      ({ rows, next: cursor } = await batch(sql, cursor, ROWS_MAX));
    });
    await sql`ROLLBACK`;
    const plans: Explained[] = [];
    for (const { text, parameters } of statements) {
      const [row] = await sql.unsafe(
        `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${text}`,
        parameters as never[],
      );
      plans.push(row?.["QUERY PLAN"][0].Plan);
    }
    yield { n, rows, plans };
  }
}

/** The most rows that one node of the plans read from a table or index, dropped ones too. */
function mostRead(plans: readonly PlanNode[]): number {
  const reads = plans
    .flatMap(nodesOf)
    .filter((node) => node["Relation Name"] !== undefined && node["Node Type"] !== "ModifyTable")
    .map((node) => {
      const dropped = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);
      return Math.round((node["Actual Rows"] + dropped) * node["Actual Loops"]);
    });
  return Math.max(0, ...reads);
}

const ONE: Content = { accounts: 1, rowsEach: 2_000 };
const MANY: Content = { accounts: 100, rowsEach: 20 };
const BARE = ended(FREE.terminalDays + 1, 0);
const SEALED = ended(FREE.retentionDays + 1, 30);
const RECENT = ended(1, 30);

it.each<[string, string, Content, Fill[]]>([
  ["schedules", "of one account", ONE, [BARE, SEALED, RECENT]],
  ["schedules", "of many accounts", MANY, [BARE, SEALED]],
  ["payloads", "of one account", ONE, [BARE, SEALED, RECENT]],
  ["payloads", "of many accounts", MANY, [BARE, SEALED]],
  ["counts", "of one account", ONE, [counts]],
  ["counts", "of many accounts", MANY, [counts]],
  ["counts of hosts", "of one account", ONE, [countsOfHosts]],
  ["deleted accounts", "of one account", ONE, [deleted]],
  ["sessions", "of one account", ONE, [sessions]],
  ["notices", "of one account", ONE, [notices]],
  ["attempts in the default partition", "of one account", ONE, [unpartitioned]],
])(
  "a batch of the job '%s' reads no more rows than it takes, whatever the backlog %s",
  async (name, _, content, fills) => {
    await fill(content, ...fills);
    let batches = 0;
    for await (const { rows, plans } of batchesOf(name, (n) => n < 8)) {
      if (rows === 0) continue;
      expect(rows).toBe(ROWS_MAX);
      expect(mostRead(plans)).toBeLessThanOrEqual(rows);
      batches++;
      if (batches === 3) break;
    }
    expect(batches).toBe(3);
  },
);

it.each<[string, Fill]>([
  ["schedules", BARE],
  ["payloads", SEALED],
  ["deleted accounts", deleted],
  ["sessions", sessions],
  ["attempts in the default partition", unpartitioned],
])(
  "the last batch of the job '%s' reads as much as the first, although no vacuum has removed what was deleted",
  async (name, filled) => {
    await fill({ accounts: 1, rowsEach: 3_500 }, filled);
    // Its snapshot keeps dead rows from being removed, and their index entries from being skipped.
    const reader = postgres(harness.databaseUrl, { max: 1, onnotice: () => {} });
    try {
      await reader`BEGIN ISOLATION LEVEL REPEATABLE READ`;
      await reader`SELECT count(*) FROM schedules`;
      const blocks: number[] = [];
      for await (const { rows, plans } of batchesOf(name, (n) => n === 3 || n === 32)) {
        expect(rows).toBe(ROWS_MAX);
        blocks.push(plans.reduce((sum, plan) => sum + plan["Shared Hit Blocks"] + plan["Shared Read Blocks"], 0));
      }
      const [early = 0, late = 0] = blocks;
      expect(blocks).toHaveLength(2);
      expect(late).toBeLessThan(1.5 * early);
    } finally {
      await reader.end({ timeout: 0 });
    }
  },
);

it("a search for accounts with something to take reads one row of each", async () => {
  await fill({ accounts: 100, rowsEach: 50 }, BARE);
  for await (const { rows, plans } of batchesOf("schedules", (n) => n === 0)) {
    expect(rows).toBe(0);
    expect(mostRead(plans)).toBeLessThanOrEqual(200);
    break;
  }
});
