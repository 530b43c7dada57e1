import { withNarrower } from "#domain/operations.ts";
import type { Sql } from "../../client.ts";
import { pgArray } from "../../pg-array.ts";

export type RunningFigures = {
  running: number;
  /** Lower bound of the schedules left to process: the total of an operation is counted up to 10,000. */
  left: number;
  /** Age of the oldest one, seconds; 0 when none runs. */
  oldestS: number;
};

/** The running operations of the given shards, without those of inactive accounts, which wait. */
export async function readRunningFigures(sql: Sql, shards: readonly number[]): Promise<RunningFigures> {
  const [row] = await sql<RunningFigures[]>`
    SELECT count(*)::integer AS running,
      coalesce(sum(greatest(o.total - o.acted - (
        SELECT coalesce(sum(n::bigint), 0) FROM jsonb_each_text(o.left_alone) AS reasons (reason, n)), 0)), 0)::float8 AS left,
      coalesce(extract(epoch FROM clock_timestamp() - min(o.accepted_at)), 0)::float8 AS "oldestS"
    FROM operations o JOIN accounts a ON a.id = o.account_id
    WHERE o.status = 'running' AND o.shard = ANY (${pgArray(withNarrower(shards))}::text::smallint[]) AND a.status || '' = 'active'`;
  if (!row) throw new Error("the count of running operations returned no row");
  return row;
}
