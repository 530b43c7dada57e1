import type { Sql } from "../../client.ts";
import { type Backlog, DUE_COUNTED_MAX } from "./step.ts";

/**
 * Ends the paid plan of accounts whose subscription has lapsed: it was cancelled and the paid period is over, or a
 * payment failed too long ago. At most `rowsMax`; returns how many. Locked accounts are left to a later call.
 */
export async function lapsePlans(sql: Sql, rowsMax: number): Promise<number> {
  const lapsed = await sql`
    WITH found AS MATERIALIZED (
      SELECT account_id FROM subscriptions WHERE paying AND paid_until IS NOT NULL AND paid_until <= clock_timestamp()
      ORDER BY paid_until LIMIT ${rowsMax}
    ), locked AS MATERIALIZED (
      SELECT a.id FROM accounts a JOIN found f ON f.account_id = a.id FOR NO KEY UPDATE OF a SKIP LOCKED
    ), ended AS (
      UPDATE subscriptions s SET paying = false, updated_at = clock_timestamp() FROM locked l
      WHERE s.account_id = l.id AND s.paying AND s.paid_until <= clock_timestamp() RETURNING s.account_id
    )
    UPDATE accounts a SET plan = a.granted_plan, updated_at = clock_timestamp() FROM ended e WHERE a.id = e.account_id`;
  return lapsed.count;
}

/** How many such accounts there are, and how long ago the first plan was to end. */
export async function countLapsedPlans(sql: Sql): Promise<Backlog> {
  const [row] = await sql`
    SELECT count(*)::integer AS rows, coalesce(extract(epoch FROM now() - min(paid_until)), 0)::float8 AS "oldestS"
    FROM (
      SELECT paid_until FROM subscriptions WHERE paying AND paid_until IS NOT NULL AND paid_until <= now()
      ORDER BY paid_until LIMIT ${DUE_COUNTED_MAX}) due`;
  return { rows: row?.rows, oldestS: row?.oldestS };
}
