import type { Sql } from "../../client.ts";
import { environmentRows } from "../../literals.ts";

/**
 * The index that finds dead schedules begins with the account. So only those of this many accounts are counted, the
 * newest.
 */
const ACCOUNTS_MAX = 20_000;
const DEAD_MAX = 10_000;

/**
 * How many schedules of the newest 20,000 accounts became dead within the last 24 hours, both environments together,
 * counted up to 10,000.
 */
export async function countDeadSchedules(sql: Sql): Promise<{ dead: number; isCapped: boolean }> {
  const [row] = await sql`
    WITH looked AS MATERIALIZED (SELECT id FROM accounts WHERE erased_at IS NULL ORDER BY id DESC LIMIT ${ACCOUNTS_MAX})
    SELECT (SELECT count(*)::integer FROM looked) AS accounts, (
      SELECT count(*)::integer FROM (
        SELECT 1 FROM looked l CROSS JOIN (VALUES ${environmentRows(sql)}) e(env) CROSS JOIN LATERAL (
          SELECT 1 FROM schedules s
          WHERE s.account_id = l.id AND s.env = e.env AND s.status = 'dead' AND s.last_attempt_at >= now() - interval '24 hours'
          LIMIT ${DEAD_MAX}) d
        LIMIT ${DEAD_MAX}) counted) AS dead`;
  const { accounts, dead } = row as unknown as { accounts: number; dead: number };
  return { dead, isCapped: accounts >= ACCOUNTS_MAX || dead >= DEAD_MAX };
}
