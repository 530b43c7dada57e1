import type { QuarterCount } from "#domain/public-punctuality.ts";
import type { Sql } from "../../client.ts";

/** `atMs`: when they were read, by the database's clock, epoch ms. */
export type PublicCounts = { atMs: number; counts: QuarterCount[] };

/** Live first attempts of all accounts in the current quarter of an hour and the 95 before it, by the database's clock. */
export async function readPublicCounts(sql: Sql): Promise<PublicCounts> {
  // The key begins with the shard, and the table holds older quarters too: read one short range per shard.
  const rows = await sql`
    SELECT extract(epoch FROM now())::float8 * 1000, extract(epoch FROM p.starts_at)::float8 * 1000, p.bucket,
      sum(p.n)::float8, sum(p.on_time)::float8
    FROM shards s LEFT JOIN shard_punctuality p
      ON p.shard = s.id AND p.starts_at > date_bin('15 minutes', now(), 'epoch') - interval '24 hours' AND p.starts_at <= now()
    GROUP BY p.starts_at, p.bucket`.values();
  return {
    atMs: rows[0]?.[0],
    counts: rows
      .filter((row) => row[2] !== null)
      .map((row) => ({ quarterMs: row[1], bucket: row[2], n: row[3], onTime: row[4] })),
  };
}
