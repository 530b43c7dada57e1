import type postgres from "postgres";

/** Creates `count` schedules without payload to `https://example.com/hook` in one statement, counted in usage. */
export async function createTestSchedules(
  sql: postgres.Sql,
  accountId: string,
  count: number,
  fireAt: Date,
  { env = "live", path = "hook" }: { env?: "live" | "test"; path?: string } = {},
): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`
      CREATE TEMP TABLE made ON COMMIT DROP AS
      SELECT gen_random_uuid() AS id, n, clock_timestamp() AS at FROM generate_series(1, ${count}::integer) n`;
    await tx`
      INSERT INTO schedule_requests (schedule_id, account_id, env, target_url, method, request_hash, created_at)
      SELECT id, ${accountId}, ${env}, ${`https://example.com/${path}/`} || n, 'POST', '', at FROM made`;
    await tx`
      INSERT INTO schedules (id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes,
        sealed_bytes, origin, created_at, updated_at)
      SELECT m.id, ${accountId}, ${env}, a.shard, false, ${fireAt}::timestamptz + n * interval '1 ms',
        ${fireAt}::timestamptz + n * interval '1 ms', 0, 0, 'https://example.com', at, at
      FROM made m, accounts a WHERE a.id = ${accountId}`;
    await tx`
      INSERT INTO usage AS u (account_id, env, period, scheduled)
      VALUES (${accountId}, ${env}, to_char(now() AT TIME ZONE 'utc', 'YYYYMM'), ${count})
      ON CONFLICT (account_id, env, period) DO UPDATE SET scheduled = u.scheduled + ${count}`;
  });
}
