import type postgres from "postgres";
import type { Sql } from "../../db/client.ts";
import { pgArray, pgTextArray } from "../../db/pg-array.ts";
import { newId } from "../../domain/ids.ts";
import { enterLanes } from "../helpers/lanes.ts";

/** A POST without a payload. */
export type DirectRow = { accountId: string; dueAtMs: number; url: string };

/**
 * Stores schedules by one plain INSERT into each table and not through the create functions, without counting quota or
 * notifying a dispatcher. This is about five times as fast. The schedules may be overdue.
 */
export async function insertDirectRows(sql: postgres.Sql, rows: readonly DirectRow[]): Promise<void> {
  await sql`
    WITH row AS (
      SELECT id, account_id, to_timestamp(due_at_ms / 1000)::timestamptz(3) AS due_at, url, origin FROM unnest(
        ${pgArray(rows.map(() => newId(Date.now())))}::text::uuid[],
        ${pgArray(rows.map(({ accountId }) => accountId))}::text::uuid[],
        ${pgArray(rows.map(({ dueAtMs }) => dueAtMs))}::text::float8[],
        ${pgTextArray(rows.map(({ url }) => url))}::text::text[],
        ${pgTextArray(rows.map(({ url }) => new URL(url).origin))}::text::text[]) r(id, account_id, due_at_ms, url, origin)),
    requests AS (INSERT INTO schedule_requests (schedule_id, account_id, env, target_url, method, request_hash)
      SELECT id, account_id, 'live', url, 'POST', '\\x00' FROM row)
    INSERT INTO schedules (id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes, sealed_bytes, origin)
    SELECT id, account_id, 'live', get_byte(uuid_send(account_id), 15) & 63, false, due_at, due_at, 0, 0, origin FROM row`;
}

/**
 * Completes rows that came into `schedules` without the create functions: it writes what these functions write beside
 * the row. Every such statement of the bench is followed by a call of this.
 */
export async function finishDirectRows(sql: Sql): Promise<void> {
  await enterLanes(sql);
}
