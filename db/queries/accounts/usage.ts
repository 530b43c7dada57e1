import type { Sql } from "../../client.ts";
import type { Tenant } from "./tenant.ts";

/**
 * The number of schedules created this month (UTC), the current time, and the start of the next month, by the
 * database's clock.
 */
export async function readMonth(
  sql: Sql,
  tenant: Tenant,
): Promise<{ scheduled: number; nowMs: number; nextMonthMs: number }> {
  const [row] = await sql`
    SELECT coalesce((SELECT scheduled FROM usage WHERE account_id = ${tenant.accountId} AND env = ${tenant.env}
        AND period = to_char(clock.at, 'YYYYMM') ORDER BY part DESC LIMIT 1), 0) AS scheduled,
      extract(epoch FROM clock.at)::float8 * 1000 AS now_ms,
      extract(epoch FROM date_trunc('month', clock.at) + interval '1 month')::float8 * 1000 AS next_month_ms
    FROM (SELECT clock_timestamp() AT TIME ZONE 'utc' AS at) clock`;
  return { scheduled: row?.scheduled, nowMs: Math.round(row?.now_ms), nextMonthMs: Math.round(row?.next_month_ms) };
}
