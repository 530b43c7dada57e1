import { sql } from "drizzle-orm";
import type { Db } from "../../orm.ts";
import type { Tenant } from "../accounts/tenant.ts";
import type { StatusCount } from "./list-schedules.ts";
import { COUNTED_MAX } from "./passes.ts";

/** How many schedules of a tenant wait for an attempt: scheduled ones and those to be retried, counted up to 10,000. */
export async function countWaiting(db: Db, { accountId, env }: Tenant): Promise<StatusCount> {
  // Condition and order are those of the index schedules_due_of_account, which the plan walks alone, and reads no rows of
  // other accounts. 10,001 rows in memory take about 3 ms.
  const [row] = await db.execute<{ n: number }>(sql`
    SELECT count(*)::integer AS n FROM (
      SELECT FROM schedules WHERE account_id = ${accountId} AND env = ${env} AND status IN ('scheduled', 'failed')
      ORDER BY next_attempt_at, id LIMIT ${COUNTED_MAX + 1}) waiting`);
  const n = row?.n ?? 0;
  return { count: Math.min(n, COUNTED_MAX), isCapped: n > COUNTED_MAX };
}
