import type { Sql } from "../../client.ts";
import { pgArray } from "../../pg-array.ts";

/** The dispatchers whose processes have names that begin with `place`, without those that are known to have ended. */
export async function readProcesses(sql: Sql, place: string): Promise<{ id: string; process: string }[]> {
  return sql<{ id: string; process: string }[]>`
    SELECT id, process FROM dispatchers
    WHERE starts_with(process, ${`${place} `}) AND stopped_at IS NULL AND ended_at IS NULL ORDER BY id LIMIT 1000`;
}

/**
 * Stores that the processes of these dispatchers have ended, and notifies the others: their shards may be taken after
 * `TAKEOVER_PAUSE_MS`, and the attempts that they made are interrupted.
 */
export async function storeEnded(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql`
    WITH ended AS (
      UPDATE dispatchers SET ended_at = clock_timestamp()
      WHERE id = ANY (${pgArray(ids)}::text::uuid[]) AND ended_at IS NULL RETURNING id)
    SELECT pg_notify(due_channel(), 'shards') FROM ended`;
}
