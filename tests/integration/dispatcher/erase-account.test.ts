import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type AttemptRecord, recordAttempts } from "#db/queries/attempts/record.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { retentionJob, runJob } from "../../helpers/retention-jobs.ts";

let harness: DispatchHarness;
let account: Awaited<ReturnType<DispatchHarness["account"]>>;

beforeAll(async () => {
  harness = await createDispatchHarness({});
});
afterAll(() => harness.close());
beforeEach(async () => {
  account = await harness.account({ settings: { cps_limit: 3 } });
});

const SOON = new Date(Date.now() + 60_000);

/** An account with rows everywhere: schedules of every status, attempts, counts, usage, credentials. */
async function fill({ id }: { id: string }) {
  const { sql } = harness;
  await sql`UPDATE accounts SET name = 'Ada', avatar_url = 'x', email_verified_at = now() WHERE id = ${id}`;
  const ids: string[] = [];
  for (let i = 0; i < 10; i++) {
    ids.push(
      await harness.schedule({ id } as never, "https://example.com/hook", SOON, {
        env: i % 2 ? "live" : "test",
        payload: "a payload",
      }),
    );
  }
  await sql`
    UPDATE schedules SET status = 'firing', version = 2, attempts = 1, claimed_at = now(), claim_deadline = now()
    WHERE id IN (${ids[0] as string}, ${ids[1] as string}, ${ids[2] as string})`;
  await recordAttempts(sql, [outcome(ids[0] as string), outcome(ids[1] as string, "rejected")]);
  await sql`UPDATE schedules SET status = 'cancelled', next_attempt_at = NULL, ended_at = now() WHERE id = ${ids[3] as string}`;
  await sql`INSERT INTO dead_schedules VALUES (${ids[1] as string}, ${id}, now())`;
  await sql`INSERT INTO death_groups (account_id) VALUES (${id})`;
  await sql`
    INSERT INTO notices (id, account_id, kind, content, created_at, next_try_at)
    VALUES (gen_random_uuid(), ${id}, 'dead', '{}', now(), now())`;
  await sql`
    INSERT INTO operations (id, account_id, env, shard, action, filter, accepted_at, total, request_hash, next_step_at, updated_at)
    VALUES (gen_random_uuid(), ${id}, 'live', 0, 'cancel', '{"q":{"text":"canary"}}', now(), 1, '', now(), now())`;
  await sql`
    INSERT INTO recurrences (id, account_id, env, shard, key, status, cron, timezone, on_clock_change, overlap, catch_up,
      spread_ms, target_url, origin, method, payload_size_bytes, request_hash, made_until, zone_data, lead_ms, created_by)
    VALUES (gen_random_uuid(), ${id}, 'live', 0, 'canary', 'paused', '0 9 * * *', 'UTC', 'first', 'allow', 'latest', 0,
      'https://example.com', 'https://example.com', 'POST', 0, '', now(), '2025a', 90000, gen_random_uuid())`;
  await sql`INSERT INTO secret_rotations VALUES (${id}, 'live', 'canary', 'sealed', now())`;
  await sql`INSERT INTO deleted_schedules VALUES (${id}, 'live', 3)`;
  await sql`INSERT INTO identities (provider, provider_account_id, account_id) VALUES ('github', ${id}, ${id})`;
  await sql`
    INSERT INTO security_events (id, account_id, kind, at, last_at, details, network)
    VALUES (gen_random_uuid(), ${id}, 'signed_in', now(), now(), '{}', '203.0.113.0/24')`;
  await sql`
    INSERT INTO listeners (id, account_id, key_id, scope, paths, lease_until)
    VALUES (gen_random_uuid(), ${id}, gen_random_uuid(), 'all', '{}', now())`;
  await sql`
    INSERT INTO listen_exchanges (id, account_id, env, schedule_id, attempt, is_reserved, path, request, deadline)
    VALUES (gen_random_uuid(), ${id}, 'test', ${ids[2] as string}, 1, true, '/', 'sealed', now())`;
  for (const secret of [`a${id}`, `b${id}`]) {
    await sql`
      INSERT INTO api_keys (id, account_id, env, name, hash, last4)
      VALUES (gen_random_uuid(), ${id}, 'live', 'k', sha256(${secret}::text::bytea), 'abcd')`;
    await sql`INSERT INTO sessions (token_hash, account_id, expires_at) VALUES (${secret}, ${id}, now())`;
  }
  return ids;
}

function outcome(scheduleId: string, kind: "delivered" | "rejected" = "delivered"): AttemptRecord {
  return {
    scheduleId,
    version: 2,
    attempt: 1,
    outcome: kind,
    statusCode: kind === "delivered" ? 200 : 500,
    latencyMs: 1,
    errorText: "",
    attemptedAtMs: Date.now() + 60_001,
    timing: { lateMs: 1, claimMs: 1, waitMs: 0, connectMs: 0, firstByteMs: 1 },
    via: null,
    status: kind === "delivered" ? "succeeded" : "failed",
    nextAttemptAtMs: kind === "delivered" ? null : Date.now() + 60_000,
    failures: 0,
    endReason: null,
    interruptions: 0,
    offsetBucket: 0,
    onTime: true,
    isPublic: false,
  };
}

const markDeleted = ({ id }: { id: string }) =>
  harness.sql`UPDATE accounts SET status = 'deleted', deleted_at = now() WHERE id = ${id}`;

/** Counts the rows of an account in every table that refers to accounts, but for what its deletion itself deletes. */
async function rowsOf({ id }: { id: string }): Promise<Record<string, number>> {
  const tables = await harness.sql`
    SELECT c.table_name AS name FROM information_schema.columns c JOIN pg_class t ON t.relname = c.table_name
    WHERE c.table_schema = 'public' AND c.column_name = 'account_id' AND NOT t.relispartition
      AND c.table_name <> 'subscriptions'`;
  const rows: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await harness.sql`SELECT count(*)::int AS n FROM ${harness.sql(name)} WHERE account_id = ${id}`;
    rows[name] = row?.n;
  }
  return rows;
}

const eraseAll = (rowsMax?: number) => runJob(harness.sql, "deleted accounts", rowsMax);

describe("a deleted account", () => {
  it("is erased in every table that refers to accounts, except for its own row with its dates", async () => {
    await fill(account);
    const before = await rowsOf(account);
    expect(Object.entries(before).filter(([, rows]) => rows === 0)).toEqual([]);
    await markDeleted(account);
    await eraseAll();
    expect(Object.values(await rowsOf(account)).every((rows) => rows === 0)).toBe(true);
    const [row] = await harness.sql`SELECT * FROM accounts WHERE id = ${account.id}`;
    expect(row).toMatchObject({
      email: "erased",
      email_verified_at: null,
      name: null,
      avatar_url: null,
      status: "deleted",
      erased_at: expect.any(Date),
    });
  });

  it("is erased without rows of other accounts, whether active or deactivated", async () => {
    const [other, deactivated] = [await harness.account({ settings: {} }), await harness.account({ settings: {} })];
    for (const one of [account, other, deactivated]) await fill(one);
    await harness.sql`UPDATE accounts SET status = 'deactivated' WHERE id = ${deactivated.id}`;
    const before = [await rowsOf(other), await rowsOf(deactivated)];
    await markDeleted(account);
    await eraseAll();
    expect([await rowsOf(other), await rowsOf(deactivated)]).toEqual(before);
  });

  it("is erased in batches of at most the requested size, and each account is finished separately", async () => {
    const second = await harness.account();
    for (const one of [account, second]) {
      await fill(one);
      await markDeleted(one);
    }
    const taken = await eraseAll(3);
    expect(Math.max(...taken)).toBe(3);
    expect(taken.reduce((sum, rows) => sum + rows, 0)).toBeGreaterThan(24);
    expect(await eraseAll(3)).toEqual([0]);
    const left = await harness.sql`SELECT 1 FROM accounts WHERE status = 'deleted' AND erased_at IS NULL`;
    expect(left).toHaveLength(0);
  });

  it("is erased also by several processes at once, and by one after another was killed midway", async () => {
    await fill(account);
    await markDeleted(account);
    const { first, batch } = retentionJob("deleted accounts");
    expect((await batch(harness.sql, first, 4)).rows).toBe(4);
    await Promise.all([eraseAll(2), eraseAll(2), eraseAll(2)]);
    expect(Object.values(await rowsOf(account)).every((rows) => rows === 0)).toBe(true);
  });

  it("makes outcomes that come late end unrecorded", async () => {
    const ids = await fill(account);
    await markDeleted(account);
    await eraseAll();
    expect(await recordAttempts(harness.sql, [outcome(ids[2] as string)])).toEqual([]);
    expect(await rowsOf(account)).toMatchObject({ attempts: 0, account_counts: 0 });
  });

  it("is finished only after an outcome that was being recorded, and no process waits for that", async () => {
    const [, , firing] = await fill(account);
    const second = await harness.account();
    for (const one of [account, second]) await markDeleted(one);
    await harness.sql.begin(async (tx) => {
      expect(await recordAttempts(tx as never, [outcome(firing as string)])).toHaveLength(1);
      await eraseAll();
      expect(await rowsOf(account)).toMatchObject({ schedules: 1, schedule_requests: 1, signing_secrets: 2 });
      expect((await rowsOf(second)).signing_secrets).toBe(0);
    });
    expect(await rowsOf(account)).toMatchObject({ schedules: 1, attempts: 1 });
    await eraseAll();
    expect(Object.values(await rowsOf(account)).every((rows) => rows === 0)).toBe(true);
  });
});
