import type { Sql } from "../../client.ts";
import { pgArray } from "../../pg-array.ts";

export type ExpiredClaim = {
  id: string;
  version: number;
  attempt: number;
  failures: number;
  interruptions: number;
  claimedAtMs: number;
  dueAtMs: number;
  /** When the lease ended. */
  claimDeadlineMs: number;
  /** No attempt begins after it, epoch ms; null where it does not expire. */
  expiresAtMs: number | null;
};

/**
 * The firing schedules of the given shards whose claim's lease has ended, oldest first, at most `limit`. The lease of a first
 * attempt in a row ends at once when the process that made it was found to have ended. Of each shard it reads
 * leases that ended at `fromMs` (epoch ms) or later. Locks nothing.
 */
export async function readExpiredClaims(
  sql: Sql,
  shards: readonly { id: number; fromMs: number }[],
  limit: number,
): Promise<ExpiredClaim[]> {
  const rows = await sql`
    SELECT id, version, attempts, failures, interruptions,
      extract(epoch FROM claimed_at)::float8 * 1000, extract(epoch FROM next_attempt_at)::float8 * 1000,
      extract(epoch FROM least(claim_deadline, now()))::float8 * 1000, (delivery->>'expiresAtMs')::float8
    FROM (
      -- Longer than a lease.
      SELECT ARRAY(SELECT id FROM dispatchers WHERE ended_at > now() - interval '1 minute') AS ids) ended
    CROSS JOIN unnest(
      ${pgArray(shards.map(({ id }) => id))}::text::smallint[],
      ${pgArray(shards.map(({ fromMs }) => fromMs))}::text::float8[]) w(in_shard, from_ms)
    -- now(), because an index is not read up to clock_timestamp(): leases that last would be read too.
    CROSS JOIN LATERAL (
      SELECT * FROM schedules
      WHERE status = 'firing' AND shard = w.in_shard AND claim_deadline >= to_timestamp(w.from_ms / 1000)
        AND claim_deadline < CASE WHEN ended.ids = '{}' THEN now() ELSE 'infinity' END
        AND (claim_deadline < now() OR interruptions = 0 AND claimed_by = ANY (ended.ids))
      ORDER BY claim_deadline LIMIT ${limit}) s
    ORDER BY claim_deadline LIMIT ${limit}`.values();
  return rows.map((row) => ({
    id: row[0],
    version: Number(row[1]),
    attempt: row[2],
    failures: row[3],
    interruptions: row[4],
    claimedAtMs: Math.floor(row[5]),
    dueAtMs: Math.round(row[6]),
    claimDeadlineMs: row[7],
    expiresAtMs: row[8],
  }));
}
