import type { Sql } from "#db/client.ts";
import { auditLanes, type LaneId } from "#db/queries/schedules/due-lanes.ts";

/**
 * Writes the calendar entries of rows that were inserted into `schedules` by hand. Dispatchers read only by the
 * calendar.
 */
export async function enterLanes(sql: Sql): Promise<void> {
  let after: LaneId | null = null;
  do after = (await auditLanes(sql, after, 1_000)).next;
  while (after !== null);
}

/**
 * Returns the lanes of active accounts that have no calendar entry, or one later than their oldest open schedule. There
 * must never be one. Reads all schedules in one snapshot.
 */
export async function lanesTooLate(sql: Sql): Promise<readonly unknown[]> {
  return sql`
    SELECT f.*, l.due_at FROM (
      SELECT s.account_id, s.env, min(s.next_attempt_at) AS first FROM schedules s JOIN accounts a ON a.id = s.account_id
      WHERE a.status = 'active' AND s.status IN ('scheduled', 'failed') GROUP BY 1, 2) f
    LEFT JOIN lanes l ON l.account_id = f.account_id AND l.env = f.env
    WHERE l.due_at IS NULL OR l.due_at > f.first`;
}
