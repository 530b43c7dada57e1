import type { Sql } from "#db/client.ts";
import { pgArray } from "#db/pg-array.ts";
import { enterLanes } from "./lanes.ts";

/**
 * Stores `rows` schedules without payload for each account, the first due `fromMs` from now, and the others `everyMs`
 * apart. Nothing announces them. A dispatcher that runs finds what is overdue by less than a minute (`LATE_COMMIT_MS`) within
 * seconds, and the rest within ten minutes.
 */
export async function insertSchedules(
  sql: Sql,
  accountIds: readonly string[],
  target: URL,
  { rows, fromMs, everyMs = 0 }: { rows: number; fromMs: number; everyMs?: number },
): Promise<void> {
  await sql`
    WITH made AS (
      INSERT INTO schedules (id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes, sealed_bytes, origin)
      SELECT gen_random_uuid(), a.id, 'live', a.shard, false, at, at, 0, 0, ${target.origin}
      FROM unnest(${pgArray(accountIds)}::text::uuid[]) w(id) JOIN accounts a USING (id), generate_series(0, ${rows - 1}) n,
        date_trunc('milliseconds', now() + (${fromMs} + n * ${everyMs}::float8) * interval '1 millisecond') at
      RETURNING id, account_id)
    INSERT INTO schedule_requests (schedule_id, account_id, env, target_url, method, request_hash)
    SELECT id, account_id, 'live', ${target.href}, 'POST', '\\x00' FROM made`;
  await enterLanes(sql);
}
