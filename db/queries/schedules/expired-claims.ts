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
  claimDeadlineMs: number;
};

/**
 * The firing schedules of the given shards whose claim's lease has ended, oldest first, at most `limit`. Locks nothing.
 */
export async function readExpiredClaims(sql: Sql, shards: readonly number[], limit: number): Promise<ExpiredClaim[]> {
  const rows = await sql`
    SELECT id, version, attempts, failures, interruptions,
      extract(epoch FROM claimed_at)::float8 * 1000, extract(epoch FROM next_attempt_at)::float8 * 1000,
      extract(epoch FROM claim_deadline)::float8 * 1000
    FROM schedules
    WHERE status = 'firing' AND shard = ANY (${pgArray(shards)}::text::smallint[])
      AND claim_deadline < clock_timestamp()
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
  }));
}
