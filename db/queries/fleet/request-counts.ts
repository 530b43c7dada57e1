import type { Sql } from "../../client.ts";
import { pgArray, pgTextArray } from "../../pg-array.ts";

/** API calls that are counted for `key` within `minute` (minutes since 1970, by the database's clock). */
export type RequestCount = { minute: number; key: string; n: number };

/**
 * Adds the calls that one process counted since it last did. Returns the totals of all processes, one for each of
 * `counts` in their order, and the database's clock, epoch ms. Every caller locks the rows in the order of their key.
 */
export async function addRequestCounts(
  sql: Sql,
  counts: readonly RequestCount[],
): Promise<{ totals: number[]; nowMs: number }> {
  const rows = await sql`
    WITH added AS (
      INSERT INTO request_counts AS c (minute, key, n)
      SELECT minute, key, n FROM unnest(
        ${pgArray(counts.map(({ minute }) => minute))}::text::integer[],
        ${pgTextArray(counts.map(({ key }) => key))}::text::text[],
        ${pgArray(counts.map(({ n }) => n))}::text::integer[]) counted(minute, key, n)
      ORDER BY minute, key
      ON CONFLICT (minute, key) DO UPDATE SET n = c.n + excluded.n
      RETURNING minute, key, n
    )
    SELECT minute, key, n, extract(epoch FROM clock_timestamp()) * 1000 FROM added`.values();
  const totals = new Map(rows.map(([minute, key, n]) => [`${minute} ${key}`, n as number]));
  return {
    totals: counts.map(({ minute, key }) => totals.get(`${minute} ${key}`) ?? 0),
    nowMs: Number(rows[0]?.[3]),
  };
}

/** Deletes the counts from before `minute`, and skips rows that another process is deleting. */
export async function deleteRequestCountsBefore(sql: Sql, minute: number): Promise<void> {
  await sql`
    DELETE FROM request_counts WHERE (minute, key) IN (
      SELECT minute, key FROM request_counts WHERE minute < ${minute} FOR UPDATE SKIP LOCKED)`;
}
