import { afterAll, beforeAll, expect, it } from "vitest";
import { groupDeadSchedules } from "#db/queries/notices/death-groups.ts";
import { makeDeadNotice } from "#db/queries/notices/make-dead-notice.ts";
import { makeQuotaNotices } from "#db/queries/notices/make-quota-notices.ts";
import { claimNotice, countWaitingNotices } from "#db/queries/notices/send.ts";
import { FIRST_ACCOUNT } from "#db/queries/retention/account-walk.ts";
import { deleteExpired } from "#db/queries/retention/expired-rows.ts";
import { SESSION } from "#dispatcher/databases.ts";
import { parsePlans } from "#domain/plans.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { nodesOf, watchStatements } from "../../helpers/statements.ts";

const ACCOUNTS = 3_000;
const OLD_NOTICES = { table: "notices", column: "created_at", hours: 24 * 62 };
const plans = parsePlans(undefined);

let harness: DispatchHarness;
let watched: ReturnType<typeof watchStatements>;

// Sent notices of many months, waiting groups, schedules that have been dead for long, and one that has just died.
beforeAll(async () => {
  harness = await createDispatchHarness({});
  await harness.sql`
    INSERT INTO accounts (id, email, plan)
    SELECT id, id || '@example.com', 'indie' FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, ${ACCOUNTS})) a`;
  await harness.sql`
    INSERT INTO notices (id, account_id, kind, content, created_at, next_try_at, outcome, ended_at)
    SELECT gen_random_uuid(), id, 'dead', '{}', now() - n * interval '1 hour', now(), 'sent', now()
    FROM accounts, generate_series(1, 10) n`;
  await harness.sql`
    INSERT INTO death_groups (account_id, waiting, due_at)
    SELECT id, '{"n":1,"sinceMs":0,"lines":[],"others":0}', now() + interval '1 hour' FROM accounts`;
  await harness.sql`
    INSERT INTO usage (account_id, env, period, scheduled)
    SELECT id, 'live', to_char(now() AT TIME ZONE 'utc' - m * interval '31 days', 'YYYYMM'), 10
    FROM accounts, generate_series(0, 3) m`;
  await harness.sql`
    INSERT INTO schedules (id, account_id, env, shard, early_fire, fire_at, payload_size_bytes, sealed_bytes, origin, status,
      attempts, last_attempt_at, ended_at)
    SELECT gen_random_uuid(), id, 'live', 1, false, now(), 0, 0, 'https://example.com', 'dead', 1, now(), now()
    FROM accounts, generate_series(1, 5) n`;
  await harness.sql`
    INSERT INTO dead_schedules (schedule_id, account_id, died_at)
    SELECT id, account_id, now() FROM schedules ORDER BY id LIMIT 3`;
  await harness.sql`UPDATE death_groups SET due_at = now() WHERE account_id = (SELECT id FROM accounts ORDER BY id LIMIT 1)`;
  await harness.sql`ANALYZE`;
  watched = watchStatements(harness.databaseUrl, SESSION);
});
afterAll(async () => {
  await watched.close();
  await harness.close();
});

const work: [string, () => Promise<unknown>, number][] = [
  ["the deaths that nobody has grouped", () => groupDeadSchedules(watched.sql, 500), 40],
  ["the group that is due", () => makeDeadNotice(watched.sql, Date.now()), 40],
  ["nothing to group", () => groupDeadSchedules(watched.sql, 500), 10],
  ["no group that is due", () => makeDeadNotice(watched.sql, Date.now() - 60_000), 10],
  ["the quotas of a thousand accounts", () => makeQuotaNotices(watched.sql, plans, FIRST_ACCOUNT, Date.now()), 6_100],
  ["the next notice", () => claimNotice(watched.sql, { nowMs: Date.now() + 1_000, leaseMs: 1_000 }), 20],
  ["what waits", () => countWaitingNotices(watched.sql), 10],
  ["old notices", () => deleteExpired(watched.sql, OLD_NOTICES, null, 200), 10],
];

it.each(work)("the query for %s reads by keys only, whatever other rows there are", async (_, run, rowsMax) => {
  const statements = await watched.of(run);
  const queries = statements.filter(({ text }) => /^\s*(select|with|update|delete|insert)/i.test(text));
  expect(queries.length).toBeGreaterThan(0);
  for (const { text, parameters } of queries) {
    const [row] = await watched.sql
      .begin(async (tx) => {
        const explained = await tx.unsafe(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`, parameters as never[]);
        await tx`SELECT set_config('statement_timeout', '0', true)`;
        throw Object.assign(new Error("rolled back"), { explained });
      })
      .catch((error) => error.explained ?? Promise.reject(error));
    const nodes = nodesOf(row["QUERY PLAN"][0].Plan);
    expect(nodes.filter((node) => node["Node Type"] === "Seq Scan").map((node) => node["Relation Name"])).toEqual([]);
    const rows = nodes
      .filter((node) => node["Relation Name"])
      .map((node) => (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"]);
    expect(rows.reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(rowsMax);
  }
});
