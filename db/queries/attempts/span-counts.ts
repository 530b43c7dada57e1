import { sql } from "drizzle-orm";
import type { Span, StepCount } from "#domain/overview.ts";
import type { DbOrTx } from "../../orm.ts";
import type { Tenant } from "../accounts/tenant.ts";

/** The hourly counts of a tenant's attempts, summed for each step of a span. */
export async function readSpanCounts(
  db: DbOrTx,
  tenant: Tenant,
  { startsAt, stepMs, steps }: Span,
): Promise<StepCount[]> {
  const endsAt = new Date(startsAt.getTime() + steps * stepMs);
  const rows = await db.execute<Omit<StepCount, "step"> & { at: number }>(sql`
    SELECT extract(epoch FROM at)::float8 * 1000 AS at, CASE WHEN is_offset THEN 'offset' ELSE 'outcome' END AS kind, bucket, n,
      "minMs", "maxMs"
    FROM (
      SELECT date_bin(${stepMs}::integer * interval '1 ms', hour, ${startsAt.toISOString()}::timestamptz) AS at,
        kind = 'offset' AS is_offset, bucket, sum(n)::float8 AS n, min(min_ms)::float8 AS "minMs", max(max_ms)::float8 AS "maxMs"
      FROM account_counts
      WHERE account_id = ${tenant.accountId} AND env = ${tenant.env}
        AND hour >= ${startsAt.toISOString()}::timestamptz AND hour < ${endsAt.toISOString()}::timestamptz
      GROUP BY 1, 2, 3) c`);
  return rows.map(({ at, ...count }) => ({ ...count, step: Math.round((at - startsAt.getTime()) / stepMs) }));
}
