import { sql as fragment } from "drizzle-orm";
import type { Span, StepCount } from "#domain/overview.ts";
import type { Sql } from "../../client.ts";
import type { DbOrTx } from "../../orm.ts";
import type { Tenant } from "./tenant.ts";

/** What was counted in each step of a span. */
export async function readSpanCounts(
  db: DbOrTx,
  tenant: Tenant,
  { startsAt, stepMs, steps }: Span,
): Promise<StepCount[]> {
  const endsAt = new Date(startsAt.getTime() + steps * stepMs);
  const rows = await db.execute<Omit<StepCount, "step"> & { at: number }>(fragment`
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

export type ScheduleFigures = { active: number; failed: number; dead: number; dueSoon: number };

/**
 * How many schedules of an account are active now (`scheduled`, `firing`, `failed`), ended up `failed` or `dead` with a
 * last attempt since `since`, and are `scheduled` for the next hour. Each count reads one index and no rows of the
 * table; the few that are firing are found through their shard.
 */
export async function readScheduleFigures(sql: Sql, tenant: Tenant, since: Date): Promise<ScheduleFigures> {
  const own = sql`account_id = ${tenant.accountId} AND env = ${tenant.env}`;
  const count = (condition: Fragment) => sql`(SELECT count(*) FROM schedules WHERE ${own} AND ${condition})::integer`;
  const sinceThen = sql`last_attempt_at >= ${since.toISOString()}::timestamptz`;
  const [row] = await sql`
    SELECT
      ${count(sql`status IN ('scheduled', 'failed')`)}
        + ${count(sql`status = 'firing' AND shard = (SELECT shard FROM accounts WHERE id = ${tenant.accountId})`)} AS active,
      ${count(sql`status = 'failed' AND ${sinceThen}`)} AS failed,
      ${count(sql`status = 'dead' AND ${sinceThen}`)} AS dead,
      ${count(sql`status = 'scheduled' AND fire_at <= now() + interval '60 minutes'`)} AS "dueSoon"`;
  return row as ScheduleFigures;
}

type Fragment = ReturnType<Sql>;
