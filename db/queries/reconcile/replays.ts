import type { Runner } from "../../literals.ts";

/** How many operations that replay schedules are running. */
export async function countRunningReplays(sql: Runner): Promise<number> {
  const [row] = await sql`SELECT count(*)::int AS n FROM operations WHERE status = 'running' AND action = 'replay'`;
  return row?.n ?? 0;
}

/**
 * Stops the running operations that replay schedules and were accepted before an instant (epoch ms), as their owner would.
 * Returns how many.
 */
export async function stopReplays(sql: Runner, acceptedBeforeMs: number): Promise<number> {
  const stopped = await sql`
    UPDATE operations SET status = 'stopped', ended_at = clock_timestamp(), updated_at = clock_timestamp(),
      schedule_ids = CASE WHEN schedule_ids IS NOT NULL THEN '{}'::uuid[] END
    WHERE status = 'running' AND action = 'replay'
      AND accepted_at < to_timestamp(${acceptedBeforeMs}::float8 / 1000)`;
  return stopped.count;
}
