import type { Sql } from "../../db/client.ts";
import { pgArray } from "../../db/pg-array.ts";
import { finishDirectRows } from "./direct-rows.ts";
import { withoutIndexes } from "./without-indexes.ts";

/** What retention does with expired rows: it erases their payloads of 1 KiB, or deletes them. */
export type Expired = "erase" | "delete";

const SEALED_BYTES = 1_100;
const STATEMENT_ROWS = 200_000;

/**
 * Stores `rows` cancelled schedules of accounts on the Indie plan that retention erases or deletes. They ended a
 * millisecond after each other, in turn of the accounts.
 */
export async function insertExpired(
  sql: Sql,
  accountIds: readonly string[],
  { rows, expired }: { rows: number; expired: Expired },
): Promise<void> {
  const [days, bytes] = expired === "erase" ? [60, SEALED_BYTES] : [400, 0];
  await sql`SET synchronous_commit = off`;
  await sql`SET maintenance_work_mem = '512MB'`;
  await withoutIndexes(sql, ["schedules", "schedule_requests"], async () => {
    for (let from = 1; from <= rows; from += STATEMENT_ROWS) {
      await sql`
        WITH row AS MATERIALIZED (
          SELECT gen_random_uuid() AS id, accounts.ids[1 + n % cardinality(accounts.ids)] AS account_id, md5(n::text) AS digest, n,
            date_trunc('milliseconds', now()) - ${days} * interval '1 day' + n * interval '1 millisecond' AS ended_at
          FROM generate_series(${from}::integer, ${Math.min(rows, from + STATEMENT_ROWS - 1)}::integer) n,
            (SELECT ${pgArray(accountIds)}::text::uuid[] AS ids) accounts
        ), requests AS (
          INSERT INTO schedule_requests (schedule_id, account_id, env, target_url, method, sealed, request_hash, created_at)
          SELECT id, account_id, 'live', 'https://hooks.example.com/v1/orders/' || n % 1000, 'POST',
            CASE WHEN ${bytes}::integer > 0 THEN decode(repeat(digest, ${bytes}::integer / 16), 'hex') END,
            decode(digest || digest, 'hex'), ended_at
          FROM row
        )
        INSERT INTO schedules (id, account_id, env, shard, status, early_fire, fire_at, ended_at, payload_size_bytes,
          sealed_bytes, origin, created_at, updated_at)
        SELECT id, account_id, 'live', get_byte(uuid_send(account_id), 15) & 63, 'cancelled', false, ended_at, ended_at,
          ${bytes}::integer, ${bytes}::integer, 'https://hooks.example.com', ended_at, ended_at
        FROM row`;
    }
  });
  await finishDirectRows(sql);
  await sql`VACUUM ANALYZE schedules, schedule_requests`.simple();
  await sql`CHECKPOINT`;
}
