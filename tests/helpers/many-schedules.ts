import type postgres from "postgres";
import { setUsage } from "./usage.ts";

/** Creates `count` schedules without payload to `https://example.com/hook/…` in one statement, counted in usage. */
export async function createTestSchedules(
  sql: postgres.Sql,
  accountId: string,
  count: number,
  fireAt: Date,
  { env = "live", host = "example.com", path = "hook" }: { env?: "live" | "test"; host?: string; path?: string } = {},
): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`
      CREATE TEMP TABLE made ON COMMIT DROP AS
      SELECT gen_random_uuid() AS id, n, clock_timestamp() AS at FROM generate_series(1, ${count}::integer) n`;
    await tx`
      INSERT INTO schedule_requests (schedule_id, account_id, env, target_url, method, request_hash, created_at)
      SELECT id, ${accountId}, ${env}, ${`https://${host}/${path}/`} || n, 'POST', '', at FROM made`;
    await tx`
      INSERT INTO schedules (id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes,
        sealed_bytes, origin, created_at, updated_at)
      SELECT m.id, ${accountId}, ${env}, a.shard, false, ${fireAt}::timestamptz + n * interval '1 ms',
        ${fireAt}::timestamptz + n * interval '1 ms', 0, 0, ${`https://${host}`}, at, at
      FROM made m, accounts a WHERE a.id = ${accountId}`;
    const [used] = await tx`
      SELECT coalesce(sum(scheduled), 0)::int AS n FROM usage
      WHERE account_id = ${accountId} AND env = ${env} AND period = to_char(now() AT TIME ZONE 'utc', 'YYYYMM')`;
    await setUsage(tx, accountId, used?.n + count, { env });
  });
}

/**
 * 40,001 schedules for which the search of `q=hook` at `host=other.example.com` ends early: very many have either, and the only one
 * that has both, `https://other.example.com/hook/1`, is the oldest and due last.
 */
export async function createThinSearch(sql: postgres.Sql, accountId: string): Promise<void> {
  const fireAt = new Date(Date.now() + 3_600_000);
  const host = "other.example.com";
  await createTestSchedules(sql, accountId, 1, new Date(fireAt.getTime() + 3_600_000), { host });
  await createTestSchedules(sql, accountId, 20_000, fireAt, { host, path: "list" });
  await createTestSchedules(sql, accountId, 20_000, fireAt);
}

/**
 * Stores `count` schedules that fire in a year, with their requests and an attempt of the last hour each, straight into the
 * tables: a million of each in 40 s. They are counted nowhere.
 */
export async function fillTables(sql: postgres.Sql, accountId: string, count: number): Promise<void> {
  const id = sql`('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`;
  const rows = sql`generate_series(1, ${count}::integer) n`;
  await sql`
    INSERT INTO schedule_requests (schedule_id, account_id, env, target_url, method, request_hash)
    SELECT ${id}, ${accountId}, 'live', 'https://example.com/hook/' || n, 'POST', '' FROM ${rows}`;
  await sql`
    INSERT INTO schedules (
      id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes, sealed_bytes, origin)
    SELECT ${id}, ${accountId}, 'live', a.shard, false, now() + interval '1 year', now() + interval '1 year', 0, 0, 'https://example.com'
    FROM accounts a, ${rows} WHERE a.id = ${accountId}`;
  await sql`
    INSERT INTO attempts (
      schedule_id, attempt, attempted_at, account_id, env, outcome, status_code, latency_ms, error_text)
    SELECT ${id}, 1, now() - n * interval '1 ms', ${accountId}, 'live', 'delivered', 200, 1, '' FROM ${rows}`;
  await sql`ANALYZE schedules, schedule_requests, attempts`;
}
