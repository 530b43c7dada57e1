import type { HostTotals } from "#domain/host-counts.ts";
import type { Span } from "#domain/overview.ts";
import type { Sql } from "../../client.ts";
import type { Tenant } from "../accounts/tenant.ts";

/**
 * How the attempts of a tenant to each host ended within a span: the `limit` hosts with the most dead schedules, then failed
 * attempts, then attempts.
 */
export async function readHostTotals(
  sql: Sql,
  tenant: Tenant,
  { startsAt, stepMs, steps }: Span,
  limit: number,
): Promise<HostTotals[]> {
  const n = (codes: string) => sql.unsafe(`coalesce(sum(n) FILTER (WHERE ${codes}), 0)::float8`);
  const rows = await sql`
    SELECT host, sum(n)::float8 AS attempts, sum(dead)::float8 AS dead, ${n("code BETWEEN 200 AND 299")} AS "2xx",
      ${n("code BETWEEN 300 AND 399")} AS "3xx", ${n("code BETWEEN 400 AND 499")} AS "4xx", ${n("code BETWEEN 500 AND 599")} AS "5xx",
      ${n("code = 0")} AS "none", ${n("code = -1")} AS interrupted,
      (array_agg(last_error ORDER BY last_error_at DESC) FILTER (WHERE last_error IS NOT NULL AND n > 0))[1] AS "lastError"
    FROM host_counts
    WHERE account_id = ${tenant.accountId} AND env = ${tenant.env} AND hour >= ${startsAt.toISOString()}::timestamptz
      AND hour < ${new Date(startsAt.getTime() + steps * stepMs).toISOString()}::timestamptz
    GROUP BY host HAVING sum(n) > 0
    ORDER BY dead DESC, sum(n) - ${n("code BETWEEN 200 AND 299")} DESC, attempts DESC, host LIMIT ${limit}`;
  return rows.map(({ host, attempts, dead, lastError, ...outcomes }) => {
    return { host, attempts, dead, lastError, outcomes } as HostTotals;
  });
}
