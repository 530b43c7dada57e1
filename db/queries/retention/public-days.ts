import type { Sql } from "../../client.ts";

/**
 * Sums the public counts of each day (UTC) that has ended. Returns how many rows are new or have grown. A day whose quarters
 * are being deleted keeps its larger sums, and outcomes that were recorded late raise them.
 */
export async function sumPublicDays(sql: Sql): Promise<number> {
  const summed = await sql`
    INSERT INTO public_days AS d (day, bucket, n, on_time)
    SELECT date_trunc('day', starts_at, 'UTC') AS began, bucket, sum(n), sum(on_time) FROM shard_punctuality
    WHERE starts_at < date_trunc('day', now(), 'UTC')
    GROUP BY began, bucket ORDER BY began, bucket
    ON CONFLICT (day, bucket) DO UPDATE SET n = excluded.n, on_time = excluded.on_time WHERE d.n < excluded.n`;
  return summed.count;
}
