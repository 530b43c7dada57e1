import type { Sql } from "../../client.ts";

const ROWS_MAX = 1_000;

/**
 * Deletes exchanges 5 s after their deadline, and listeners that were not resumed for ten minutes after their lease. Skips
 * rows that another dispatcher is deleting. At most 1,000 of each.
 */
export async function sweepListening(sql: Sql): Promise<void> {
  await sql`
    WITH exchanges AS (
      DELETE FROM listen_exchanges WHERE id = ANY (ARRAY(
        SELECT id FROM listen_exchanges WHERE deadline < clock_timestamp() - interval '5 seconds'
        ORDER BY deadline LIMIT ${ROWS_MAX} FOR UPDATE SKIP LOCKED))
    )
    DELETE FROM listeners WHERE id = ANY (ARRAY(
      SELECT id FROM listeners WHERE lease_until < clock_timestamp() - interval '10 minutes'
      ORDER BY lease_until LIMIT ${ROWS_MAX} FOR UPDATE SKIP LOCKED))`;
}
