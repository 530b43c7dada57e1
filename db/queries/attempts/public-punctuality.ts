import type { Sql } from "../../client.ts";

export type PublicCounts = { at: Date; counts: { bucket: number; n: number; onTime: number }[] };

/**
 * The counts of first attempts in the live environment, of all accounts, in the current hour and the 23 before it, by
 * the database's clock.
 */
export async function readPublicCounts(sql: Sql): Promise<PublicCounts> {
  // One short range of the primary key for each shard: the key begins with the shard, and the table has older hours
  // too.
  const rows = await sql`
    SELECT extract(epoch FROM now())::float8 * 1000, p.bucket, sum(p.n)::float8, sum(p.on_time)::float8
    FROM shards s LEFT JOIN shard_punctuality p
      ON p.shard = s.id AND p.hour > date_trunc('hour', now(), 'UTC') - interval '24 hours' AND p.hour <= now()
    GROUP BY p.bucket`.values();
  return {
    at: new Date(rows[0]?.[0]),
    counts: rows.filter((row) => row[1] !== null).map((row) => ({ bucket: row[1], n: row[2], onTime: row[3] })),
  };
}
