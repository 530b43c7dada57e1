import type { Sql } from "../../client.ts";
import { LIVE_TAKER } from "./live-taker.ts";

export type NewExchange = {
  id: string;
  accountId: string;
  scheduleId: string;
  attempt: number;
  isReserved: boolean;
  /** Without the query. */
  path: string;
  /** Sealed. */
  request: Buffer;
  /** Epoch ms, by the database's clock. */
  deadlineMs: number;
};

/**
 * Writes an exchange that waits, and wakes the web processes of its account's listeners. Returns false, and writes
 * nothing, when no live listener takes it.
 */
export async function insertExchange(sql: Sql, exchange: NewExchange): Promise<boolean> {
  const { id, accountId, scheduleId, attempt, isReserved, path, request, deadlineMs } = exchange;
  const rows = await sql`
    WITH x AS MATERIALIZED (
      SELECT ${id}::uuid AS id, ${accountId}::uuid AS account_id, 'test' AS env, ${scheduleId}::uuid AS schedule_id,
        ${attempt}::integer AS attempt, ${isReserved}::boolean AS is_reserved, ${path}::text AS path,
        ${request}::bytea AS request, to_timestamp(${deadlineMs}::float8 / 1000) AS deadline
    ), written AS (
      INSERT INTO listen_exchanges (id, account_id, env, schedule_id, attempt, is_reserved, path, request, deadline)
      SELECT id, account_id, env, schedule_id, attempt, is_reserved, path, request, deadline FROM x
      WHERE EXISTS (${LIVE_TAKER(sql)})
      RETURNING account_id
    )
    SELECT pg_notify(listen_channel(), account_id::text) FROM written`;
  return rows.length > 0;
}
