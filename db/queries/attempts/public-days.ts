import type { PublicDayCount } from "#domain/public-days.ts";
import { PUBLIC_DAYS } from "#domain/public-days.ts";
import type { Sql } from "../../client.ts";

/**
 * Live first attempts of all accounts by day (UTC), of today and the days before it that are public, by the database's clock:
 * `atMs`, epoch ms. Retention sums a day within an hour of its end; until then its quarters are summed here.
 */
export async function readPublicDays(sql: Sql): Promise<{ atMs: number; counts: PublicDayCount[] }> {
  const rows = await sql`
    WITH times AS MATERIALIZED (SELECT date_trunc('day', now(), 'UTC') AS today), since AS MATERIALIZED (
      SELECT today, CASE WHEN EXISTS (SELECT FROM public_days WHERE day = today - interval '24 hours') THEN today
        ELSE today - interval '24 hours' END AS unsummed
      FROM times
    ), counted AS (
      SELECT d.day, d.bucket, d.n, d.on_time FROM since, public_days d
        WHERE d.day >= today - ${(PUBLIC_DAYS - 1) * 24}::integer * interval '1 hour' AND d.day < unsummed
      UNION ALL
      SELECT date_trunc('day', p.starts_at, 'UTC'), p.bucket, p.n, p.on_time
        FROM since, shards s JOIN LATERAL (
          SELECT * FROM shard_punctuality q WHERE q.shard = s.id AND q.starts_at >= unsummed AND q.starts_at <= now()) p ON true
    )
    SELECT extract(epoch FROM now())::float8 * 1000, extract(epoch FROM c.day)::float8 * 1000, c.bucket, sum(c.n)::float8,
      sum(c.on_time)::float8
    FROM times LEFT JOIN counted c ON true GROUP BY c.day, c.bucket`.values();
  return {
    atMs: rows[0]?.[0],
    counts: rows
      .filter((row) => row[2] !== null)
      .map((row) => ({ dayMs: row[1], bucket: row[2], n: row[3], onTime: row[4] })),
  };
}
