import { byKey } from "../../by-key.ts";
import type { Sql } from "../../client.ts";
import { pgArray } from "../../pg-array.ts";

/**
 * Puts claimed schedules that sent nothing back to their former status, and takes back the attempt. `version` is the
 * one that the claim gave, also when its answer was lost. Returns the schedules that were put back, with their new
 * version.
 */
export async function releaseSchedules(
  sql: Sql,
  dispatcherId: string,
  claims: readonly { id: string; version: number }[],
): Promise<{ id: string; version: number }[]> {
  const rows = await sql`
    WITH pick AS MATERIALIZED (
      SELECT s.id FROM unnest(
        ${pgArray(claims.map((c) => c.id))}::text::uuid[],
        ${pgArray(claims.map((c) => c.version))}::text::bigint[]) w(id, version)
      JOIN schedules s ON ${byKey(sql, "s.id", "w.id")} AND s.version = w.version
      WHERE s.status || '' = 'firing' AND s.claimed_by = ${dispatcherId}
      ORDER BY w.id FOR UPDATE OF s
    )
    UPDATE schedules s SET status = CASE WHEN s.attempts = 1 THEN 'scheduled' ELSE 'failed' END,
      version = s.version + 1, attempts = s.attempts - 1, claimed_by = NULL, claimed_at = NULL, claim_deadline = NULL
    FROM pick p WHERE ${byKey(sql, "s.id", "p.id")}
    RETURNING s.id, s.version`.values();
  return rows.map((row) => ({ id: row[0], version: Number(row[1]) }));
}
