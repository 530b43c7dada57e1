import type { Sql } from "#db/client.ts";
import { auditLanes, type LaneId } from "#db/queries/schedules/due-lanes.ts";

/** Enters in the calendar of lanes what was inserted into `schedules` by hand: the dispatchers read by it alone. */
export async function enterLanes(sql: Sql): Promise<void> {
  let after: LaneId | null = null;
  do after = (await auditLanes(sql, after, 1_000)).next;
  while (after !== null);
}

/**
 * Lanes of active accounts that have no entry, or one later than their oldest open schedule: there are none, ever. Reads
 * all schedules, in one snapshot.
 */
export async function lanesTooLate(sql: Sql): Promise<readonly unknown[]> {
  return sql`
    SELECT f.*, l.due_at FROM (
      SELECT s.account_id, s.env, min(s.next_attempt_at) AS first FROM schedules s JOIN accounts a ON a.id = s.account_id
      WHERE a.status = 'active' AND s.status IN ('scheduled', 'failed') GROUP BY 1, 2) f
    LEFT JOIN lanes l ON l.account_id = f.account_id AND l.env = f.env
    WHERE l.due_at IS NULL OR l.due_at > f.first`;
}
