import type { Sql } from "../../client.ts";
import { environmentRows } from "../../literals.ts";

/**
 * How many schedules of an account (UUID) wait to be sent, `scheduled` or `failed`, both environments together, counted
 * up to `max`.
 */
export async function countPendingSchedules(sql: Sql, accountId: string, max: number): Promise<number> {
  const [row] = await sql<[{ n: number }]>`
    SELECT count(*)::integer AS n FROM (
      SELECT 1 FROM (VALUES ${environmentRows(sql)}) e(env) CROSS JOIN LATERAL (
        SELECT 1 FROM schedules s
        WHERE s.account_id = ${accountId} AND s.env = e.env AND s.status IN ('scheduled', 'failed')
        ORDER BY s.next_attempt_at, s.id LIMIT ${max}) pending
      LIMIT ${max}) counted`;
  return row.n;
}
