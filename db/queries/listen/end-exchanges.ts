import type { Sql } from "../../client.ts";
import { pgArray } from "../../pg-array.ts";

/**
 * Ends the exchanges `ids` that have no answer yet: they are over, and their requests erased. Tells the listeners that got
 * them. Returns those that it ended: the others were answered before, or are no longer there.
 */
export async function endExchanges(sql: Sql, ids: readonly string[]): Promise<string[]> {
  const rows = await sql`
    WITH pick AS MATERIALIZED (
      SELECT x.id, x.state FROM listen_exchanges x
      WHERE x.id = ANY (${pgArray(ids)}::text::uuid[]) AND x.state || '' IN ('waiting', 'handed') ORDER BY x.id FOR UPDATE
    ), ended AS (
      UPDATE listen_exchanges x SET state = 'over', request = NULL FROM pick p WHERE x.id = p.id
      RETURNING x.id, x.account_id, p.state
    )
    SELECT id, CASE state WHEN 'handed' THEN pg_notify(listen_channel(), account_id::text)::text END FROM ended`.values();
  return rows.map(([id]) => id);
}

/** Erases the answers of the exchanges `ids`, which their dispatcher has read. */
export async function eraseAnswers(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql`
    UPDATE listen_exchanges SET answer = NULL WHERE id = ANY (${pgArray(ids)}::text::uuid[]) AND answer IS NOT NULL`;
}
