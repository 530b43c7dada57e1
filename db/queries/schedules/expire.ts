import { byKey } from "../../by-key.ts";
import type { Sql } from "../../client.ts";
import { pgArray } from "../../pg-array.ts";
import { type Ownership, ownedShards } from "./claim.ts";

/**
 * Makes those of the given schedules (UUIDs) dead that have expired before their next attempt. Fenced as a claim is, except
 * for the version: no row is changed that waits for an attempt which may still begin. Rows that another transaction has
 * locked are skipped. Returns the ids of those that are dead now.
 */
export async function expireSchedules(sql: Sql, owner: Ownership, ids: readonly string[]): Promise<string[]> {
  const rows = await sql`
    WITH mine AS MATERIALIZED (${ownedShards(sql, owner)}), pick AS MATERIALIZED (
      SELECT s.id, a.activated_at FROM unnest(${pgArray(ids)}::text::uuid[]) w(id)
      JOIN schedules s ON ${byKey(sql, "s.id", "w.id")}
      JOIN accounts a ON ${byKey(sql, "a.id", "s.account_id")} AND a.status || '' = 'active'
      WHERE s.shard = ANY (ARRAY(SELECT id FROM mine)) AND s.status || '' IN ('scheduled', 'failed')
        AND expires_at(s.delivery) < greatest(s.next_attempt_at, clock_timestamp())
      FOR UPDATE OF s SKIP LOCKED)
    UPDATE schedules s SET status = 'dead', version = s.version + 1, next_attempt_at = NULL,
      end_reason = CASE WHEN expires_at(s.delivery) < p.activated_at THEN 'deactivated' ELSE 'expired' END,
      last_error = CASE WHEN s.last_attempt_at IS NOT NULL THEN s.last_error
        WHEN expires_at(s.delivery) < p.activated_at THEN 'expired while its account was deactivated'
        ELSE 'expired before its first attempt' END,
      ended_at = clock_timestamp(), updated_at = clock_timestamp()
    FROM pick p WHERE ${byKey(sql, "s.id", "p.id")}
    RETURNING s.id`.values();
  return rows.map((row) => row[0]);
}
