import { NOTIFY_HORIZON_MS } from "#domain/timing.ts";
import { byKey } from "../../by-key.ts";
import type { Sql } from "../../client.ts";
import { pgArray } from "../../pg-array.ts";

/**
 * Puts claimed schedules that sent nothing back to their former status, and takes back the attempt. `version` is the
 * one that the claim gave, also when its answer was lost. Waits for no lock. Announces what is due soon in a shard of another
 * dispatcher, which read the shard while these were claimed. Returns the schedules that were put back, with
 * their new version, and the ids of those that another session has locked: put them back later.
 */
export async function releaseSchedules(
  sql: Sql,
  dispatcherId: string,
  claims: readonly { id: string; version: number }[],
): Promise<{ released: { id: string; version: number }[]; locked: string[] }> {
  const rows = await sql`
    WITH held AS MATERIALIZED (
      SELECT s.id, s.version FROM unnest(
        ${pgArray(claims.map((c) => c.id))}::text::uuid[],
        ${pgArray(claims.map((c) => c.version))}::text::bigint[]) w(id, version)
      JOIN schedules s ON ${byKey(sql, "s.id", "w.id")} AND s.version = w.version
      WHERE s.status || '' = 'firing' AND s.claimed_by = ${dispatcherId}
    ), pick AS MATERIALIZED (
      SELECT s.id FROM held h JOIN schedules s ON ${byKey(sql, "s.id", "h.id")} AND s.version = h.version
      FOR UPDATE OF s SKIP LOCKED
    ), released AS (
    UPDATE schedules s SET status = CASE WHEN s.attempts = 1 THEN 'scheduled' ELSE 'failed' END,
      version = s.version + 1, attempts = s.attempts - 1, claimed_by = NULL, claimed_at = NULL, claim_deadline = NULL
    FROM pick p WHERE ${byKey(sql, "s.id", "p.id")}
    RETURNING s.id, s.version, s.shard, s.account_id, s.env, s.next_attempt_at
    )
    SELECT r.id, r.version, CASE
      WHEN h.owner <> ${dispatcherId}
        AND r.next_attempt_at <= clock_timestamp() + ${NOTIFY_HORIZON_MS} * interval '1 millisecond'
      THEN pg_notify(due_channel(), due_notice(r.shard, r.id, r.account_id, r.env, r.next_attempt_at, 1))::text END
    FROM released r LEFT JOIN shards h ON h.id = r.shard
    UNION ALL SELECT id, NULL, NULL FROM held WHERE id NOT IN (SELECT id FROM pick)`.values();
  return {
    released: rows.flatMap(([id, version]) => (version === null ? [] : [{ id, version: Number(version) }])),
    locked: rows.flatMap(([id, version]) => (version === null ? [id] : [])),
  };
}
