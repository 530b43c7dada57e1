import type { Sql } from "../../client.ts";

/** How long ago an overdue schedule fell due, at most, ms; the last group has no bound. */
const OVERDUE_AGES_MS = [60_000, 3_600_000, 86_400_000] as const;

/** What an account has pending: claimed schedules without an outcome count as overdue. */
export type PendingOfAccount = {
  email: string;
  overdue: number;
  /** The overdue ones by how long ago they fell due, one number for each of `OVERDUE_AGES_MS` and one for the rest. */
  byAge: number[];
  /** When the oldest one fell due, epoch ms; null when none is overdue. */
  oldestDueMs: number | null;
  later: number;
};

/**
 * What is pending at `nowMs` (epoch ms), by account: the `limit` accounts with the most overdue, and the sums of all in
 * `total`. Reads an index entry of each pending schedule.
 */
export async function readPending(
  sql: Sql,
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<{
  accounts: PendingOfAccount[];
  total: Pick<PendingOfAccount, "overdue" | "later"> & { accounts: number };
}> {
  const [minute, hour, day] = OVERDUE_AGES_MS;
  const rows = await sql`
    WITH pending AS (
      SELECT account_id, (${nowMs}::float8 - extract(epoch FROM next_attempt_at) * 1000)::float8 AS age_ms
      FROM schedules WHERE status IN ('scheduled', 'failed')
      UNION ALL
      SELECT account_id, greatest((${nowMs}::float8 - extract(epoch FROM next_attempt_at) * 1000)::float8, 0)
      FROM schedules WHERE status = 'firing'
    ), counted AS (
      SELECT account_id, count(*) FILTER (WHERE age_ms >= 0) AS overdue,
        count(*) FILTER (WHERE age_ms >= 0 AND age_ms < ${minute}) AS within_minute,
        count(*) FILTER (WHERE age_ms >= ${minute} AND age_ms < ${hour}) AS within_hour,
        count(*) FILTER (WHERE age_ms >= ${hour} AND age_ms < ${day}) AS within_day,
        count(*) FILTER (WHERE age_ms >= ${day}) AS older,
        max(age_ms) FILTER (WHERE age_ms >= 0) AS oldest_ms, count(*) FILTER (WHERE age_ms < 0) AS later
      FROM pending GROUP BY account_id
    )
    SELECT a.email, c.overdue::float8, c.within_minute::float8, c.within_hour::float8, c.within_day::float8,
      c.older::float8, c.oldest_ms::float8, c.later::float8, sum(c.overdue) OVER ()::float8 AS all_overdue,
      sum(c.later) OVER ()::float8 AS all_later, count(*) OVER ()::int AS all_accounts
    FROM counted c JOIN accounts a ON a.id = c.account_id
    ORDER BY c.overdue DESC, c.later DESC, a.id LIMIT ${limit}`;
  return {
    accounts: rows.map((row) => ({
      email: row.email,
      overdue: row.overdue,
      byAge: [row.within_minute, row.within_hour, row.within_day, row.older],
      oldestDueMs: row.oldest_ms === null ? null : nowMs - row.oldest_ms,
      later: row.later,
    })),
    total: {
      overdue: rows[0]?.all_overdue ?? 0,
      later: rows[0]?.all_later ?? 0,
      accounts: rows[0]?.all_accounts ?? 0,
    },
  };
}
