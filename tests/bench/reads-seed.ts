import type { Sql } from "../../db/client.ts";
import { finishDirectRows } from "./direct-rows.ts";
import { withoutIndexes } from "./without-indexes.ts";

export type SeedSizes = {
  schedules: number;
  accounts: number;
  /** Every n-th schedule belongs to the big account. */
  bigEvery: number;
};

/** The account whose reads are measured, on the Indie plan. */
export const BIG_ACCOUNT = "00000000-0000-7000-8000-000000000000";

/** A text in the target of one in 99 schedules of the big account. */
export const THIN_MARK = "thinly";
/** A text in the targets of the oldest tenth of its schedules. */
export const OLD_MARK = "formerly";
/** A text in the target of a single one of its schedules. */
export const NEEDLE_MARK = "needle";

/** The host of one in 4,096 of its schedules; the others have `api.tenant0.example`. */
export const RARE_HOST = "rare.tenant0.example";
/** The operation (UUID) that made one in 256 of its schedules. */
export const OPERATION = "00000000-0000-7000-8000-0000000000aa";
/** The idempotency key of the one with `NEEDLE_MARK`. */
export const IDEMPOTENCY_KEY = "needle";

/**
 * Fills an empty, migrated database with the schedules of the last 30 days and their attempts as the service would have
 * left them: in the order of creation, accounts interleaved, with their counts.
 */
export async function seedReads(sql: Sql, sizes: SeedSizes): Promise<void> {
  await sql`SET statement_timeout = 0`;
  await sql`SET maintenance_work_mem = '1GB'`;
  await sql`SET work_mem = '256MB'`;
  await sql`SET synchronous_commit = off`;
  await sql`SELECT setseed(0.5)`;
  await sql`SELECT make_attempt_partitions((now() AT TIME ZONE 'utc')::date - 31, 40)`;
  await sql`
    INSERT INTO accounts (id, email, plan)
    SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'reads' || n || '@example.com', 'indie'
    FROM generate_series(0, ${sizes.accounts} - 1) n`;

  await withoutIndexes(sql, ["schedules", "schedule_requests", "attempts"], async () => {
    await seedSchedules(sql, sizes);
    await seedAttempts(sql);
    await seedCounts(sql);
  });
  await finishDirectRows(sql);
  await sql`VACUUM (ANALYZE) schedules, schedule_requests, attempts, account_counts, shard_punctuality, usage, accounts`;
}

// Created over 29.9 days and due up to two days later. One in 20 is due in three months.
async function seedSchedules(sql: Sql, { schedules, accounts, bigEvery }: SeedSizes) {
  await sql`
    CREATE UNLOGGED TABLE plan AS
    SELECT g, 'https://' || CASE WHEN account = 0 AND digest LIKE '5f8%' THEN 'rare' ELSE 'api' END || '.tenant' || account || '.example'
        AS host, (lpad(to_hex((extract(epoch FROM created_at) * 1000)::bigint), 12, '0') || '7' || substr(digest, 1, 3)
        || '8' || substr(digest, 4, 15))::uuid AS id,
      ('00000000-0000-7000-8000-' || lpad(to_hex(account), 12, '0'))::uuid AS account_id, account, digest, created_at, dice,
      (created_at + CASE WHEN g % 20 = 6 THEN interval '90 days' ELSE interval '1 minute' + lag * interval '2 days' END)::timestamptz(3)
        AS fire_at,
      CASE WHEN random() < 0.01 THEN (random() * 5000)::int ELSE (-ln(1 - random()) * 1.5)::int END AS offset_ms
    FROM (
      SELECT g, md5(g::text) AS digest, (random() * 1000)::int AS dice, power(random(), 3) AS lag,
        CASE WHEN g % ${bigEvery}::int = 0 THEN 0 ELSE 1 + (g::bigint * 7919) % (${accounts}::int - 1) END AS account,
        (now() - interval '718 hours' * (1 - g / ${schedules}::float8))::timestamptz(3) AS created_at
      FROM generate_series(1, ${schedules}::int) g) p`;
  await sql`ALTER TABLE plan ADD status text`;
  await sql`
    UPDATE plan SET status = CASE WHEN fire_at > now() - interval '1 minute' THEN 'scheduled' WHEN dice < 5 THEN 'dead'
      WHEN dice < 7 THEN 'failed' WHEN dice < 30 THEN 'cancelled' ELSE 'succeeded' END`;
  await sql`
    INSERT INTO schedule_requests (schedule_id, account_id, env, target_url, method, sealed, request_hash, operation_id,
      idempotency_key, created_at)
    SELECT id, account_id, 'live', host || '/v1/' || CASE
        WHEN account <> 0 THEN 'orders/' || substr(digest, 1, 16)
        WHEN g = ${bigEvery * Math.floor(schedules / 2 / bigEvery)}::int THEN 'needle'
        WHEN g / ${bigEvery}::int % 99 = 0 THEN 'thinly/' || g
        WHEN g < ${schedules}::int / 10 THEN 'formerly/' || g
        WHEN dice % 5 < 3 THEN 'hooks/' || dice % 20
        ELSE 'orders/' || substr(digest, 1, 16) || '/notify?tenant=' || g % 97 END,
      'POST', decode(repeat(digest, 4), 'hex'), decode(digest, 'hex'),
      CASE WHEN account = 0 AND digest LIKE 'a7%' THEN ${OPERATION}::uuid END,
      CASE WHEN g = ${bigEvery * Math.floor(schedules / 2 / bigEvery)}::int THEN ${IDEMPOTENCY_KEY} END, created_at
    FROM plan ORDER BY g`;
  await sql`
    INSERT INTO schedules (id, account_id, env, shard, status, version, early_fire, attempts, fire_at, next_attempt_at,
      fired_at, offset_ms, last_attempt_at, last_status_code, last_error, ended_at, payload_size_bytes, sealed_bytes, origin,
      created_at, updated_at)
    SELECT id, account_id, 'live', get_byte(uuid_send(account_id), 15) & 63, status, 1 + 2 * attempts, false, attempts,
      fire_at, CASE status WHEN 'scheduled' THEN fire_at WHEN 'failed' THEN now() + interval '30 s' END,
      CASE WHEN attempts > 0 THEN fire_at + offset_ms * interval '1 ms' END, CASE WHEN attempts > 0 THEN offset_ms END,
      CASE WHEN attempts > 0 THEN fire_at + offset_ms * interval '1 ms' + (attempts - 1) * interval '10 s' END,
      CASE WHEN status = 'succeeded' THEN 200 WHEN attempts > 0 AND dice % 3 > 0 THEN CASE WHEN digest LIKE 'b%' THEN 404 ELSE 503 END END,
      CASE WHEN attempts > 0 AND status <> 'succeeded' THEN CASE WHEN dice % 3 > 0 THEN 'Service Unavailable' ELSE 'ECONNREFUSED' END END,
      CASE WHEN status IN ('succeeded', 'dead', 'cancelled') THEN fire_at + attempts * interval '10 s' END,
      64, 64, host, created_at, created_at
    FROM (
      SELECT *, CASE status WHEN 'scheduled' THEN 0 WHEN 'cancelled' THEN 0 WHEN 'dead' THEN 5 WHEN 'failed' THEN 2
        ELSE 1 + CASE WHEN account = 0 THEN (dice % 6 = 0)::int ELSE (dice % 2) + (dice % 7 < 4)::int END END AS attempts
      FROM plan) p
    ORDER BY g`;
  await sql`DROP TABLE plan`;
  await finishDirectRows(sql);
  await sql`
    INSERT INTO usage (account_id, env, period, scheduled)
    SELECT account_id, env, to_char(created_at AT TIME ZONE 'utc', 'YYYYMM'), count(*) FROM schedules GROUP BY 1, 2, 3`;
}

// Retries follow each other after 10 s. Every attempt before the last of a success got a 503 or, for one schedule in
// three, no answer.
async function seedAttempts(sql: Sql) {
  await sql`
    INSERT INTO attempts (schedule_id, attempt, attempted_at, account_id, env, outcome, status_code, latency_ms, error_text,
      late_ms, claim_ms, wait_ms, connect_ms, first_byte_ms)
    SELECT id, n, attempted_at, account_id, env, outcome,
      CASE outcome WHEN 'delivered' THEN 200 WHEN 'rejected' THEN CASE WHEN random() < 0.001 THEN 404 ELSE 503 END END,
      (random() * 200)::int, CASE outcome WHEN 'rejected' THEN 'Service Unavailable' WHEN 'unreachable' THEN 'ECONNREFUSED' ELSE '' END,
      offset_ms, 1, 0, 2, 50
    FROM (
      SELECT s.id, s.account_id, s.env, s.offset_ms, n, s.fired_at + (n - 1) * interval '10 s' AS attempted_at,
        CASE WHEN s.status = 'succeeded' AND n = s.attempts THEN 'delivered' WHEN random() < 0.33 THEN 'unreachable'
          ELSE 'rejected' END AS outcome
      FROM schedules s CROSS JOIN generate_series(1, s.attempts) n) a
    ORDER BY attempted_at`;
}

// Buckets of offsets as in domain/punctuality.ts. The more an hour counted in a bucket, the earlier its row was
// created.
async function seedCounts(sql: Sql) {
  await sql`
    INSERT INTO account_counts (account_id, env, hour, kind, bucket, n)
    SELECT account_id, env, date_trunc('hour', attempted_at, 'UTC'), 'outcome', coalesce(status_code / 100, 0), count(*)
    FROM attempts GROUP BY 1, 2, 3, 5 ORDER BY 3, 6 DESC`;
  await sql`
    INSERT INTO account_counts (account_id, env, hour, kind, bucket, n, min_ms, max_ms)
    SELECT account_id, env, date_trunc('hour', fired_at, 'UTC'), 'offset',
      CASE WHEN offset_ms < 100 THEN offset_ms ELSE 100 + floor(ln(offset_ms / 100.0) / ln(1.03)) END,
      count(*), min(offset_ms), max(offset_ms)
    FROM schedules WHERE fired_at IS NOT NULL GROUP BY 1, 2, 3, 5 ORDER BY 3, 6 DESC`;
  await sql`
    INSERT INTO shard_punctuality (shard, starts_at, bucket, n, on_time)
    SELECT get_byte(uuid_send(account_id), 15) & 63, date_bin('15 minutes', fired_at, 'epoch'),
      CASE WHEN offset_ms < 100 THEN offset_ms ELSE 100 + floor(ln(offset_ms / 100.0) / ln(1.03)) END,
      count(*), count(*) FILTER (WHERE offset_ms <= 250)
    FROM schedules WHERE fired_at > now() - interval '2 days' GROUP BY 1, 2, 3`;
}
