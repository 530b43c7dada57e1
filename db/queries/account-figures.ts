import type { Span, StepCount } from "#domain/overview.ts";
import type { Sql } from "../client.ts";
import type { Tenant } from "./tenant.ts";

export type SpanCounts = { startsAt: Date; counts: StepCount[] };

/** What was counted in a span that ends with the bucket of now, by the database's clock, and when the span begins. */
export async function readSpanCounts(sql: Sql, tenant: Tenant, { stepHours, steps }: Span): Promise<SpanCounts> {
  const rows = await sql`
    WITH span AS MATERIALIZED (
      SELECT step, date_bin(step, now(), ${ORIGIN}::timestamptz) - ${steps - 1}::integer * step AS starts_at
      FROM (SELECT ${stepHours}::integer * interval '1 hour' AS step) s
    ), counted AS (
      SELECT date_bin((SELECT step FROM span), hour, ${ORIGIN}::timestamptz) AS at, kind = 'offset' AS is_offset, bucket,
        sum(n)::float8 AS n,
        min(min_ms)::float8 AS min_ms, max(max_ms)::float8 AS max_ms
      FROM account_counts
      WHERE account_id = ${tenant.accountId} AND env = ${tenant.env}
        AND hour >= (SELECT starts_at FROM span) AND hour <= now()
      GROUP BY 1, 2, 3
    )
    SELECT extract(epoch FROM span.starts_at)::float8 * 1000,
      (extract(epoch FROM c.at - span.starts_at) / extract(epoch FROM span.step))::integer, c.is_offset, c.bucket, c.n,
      c.min_ms, c.max_ms
    FROM span LEFT JOIN counted c ON true`.values();
  return {
    startsAt: new Date(rows[0]?.[0]),
    counts: rows
      .filter((row) => row[1] !== null)
      .map((row) => ({
        step: row[1],
        kind: row[2] ? "offset" : "outcome",
        bucket: row[3],
        n: row[4],
        minMs: row[5],
        maxMs: row[6],
      })),
  };
}

/** Where buckets are counted from: all of them begin at midnight or at a multiple of their length after it, in UTC. */
const ORIGIN = "2000-01-01 00:00:00+00";

export type ScheduleFigures = { active: number; failed: number; dead: number; dueSoon: number };

/**
 * How many schedules of an account are active now (`scheduled`, `firing`, `failed`), ended up `failed` or `dead` with a
 * last attempt since `since`, and are `scheduled` for the next hour. Each count reads one index and no rows of the
 * table; the few that are firing are found through their shard.
 */
export async function readScheduleFigures(sql: Sql, tenant: Tenant, since: Date): Promise<ScheduleFigures> {
  const own = sql`account_id = ${tenant.accountId} AND env = ${tenant.env}`;
  const [row] = await sql`
    SELECT
      (SELECT count(*) FROM schedules WHERE ${own} AND status IN ('scheduled', 'failed'))::integer
      + (SELECT count(*) FROM schedules WHERE ${own} AND status = 'firing'
          AND shard = (SELECT shard FROM accounts WHERE id = ${tenant.accountId}))::integer AS active,
      (SELECT count(*) FROM schedules WHERE ${own} AND status = 'failed' AND last_attempt_at >= ${since.toISOString()}::timestamptz)::integer AS failed,
      (SELECT count(*) FROM schedules WHERE ${own} AND status = 'dead' AND last_attempt_at >= ${since.toISOString()}::timestamptz)::integer AS dead,
      (SELECT count(*) FROM schedules WHERE ${own} AND status = 'scheduled'
        AND fire_at <= now() + interval '60 minutes')::integer AS "dueSoon"`;
  return row as ScheduleFigures;
}
