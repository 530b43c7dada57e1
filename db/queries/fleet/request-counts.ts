import type { Sql } from "../../client.ts";
import { pgArray, pgTextArray } from "../pg-array.ts";

/** Calls counted for `key` within `minute` (minutes since 1970, by the database's clock). */
export type RequestCount = { minute: number; key: string; n: number };

/**
 * Adds what one process counted since it last did, and returns what all of them have: a total for each of `counts`, in
 * their order, and the database's clock, epoch ms. Rows are locked in the order of their key, as every caller locks them.
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

/** Deletes what was counted before `minute`; leaves to another process what that one is deleting. */
export async function deleteRequestCountsBefore(sql: Sql, minute: number): Promise<void> {
  await sql`
    DELETE FROM request_counts WHERE (minute, key) IN (
      SELECT minute, key FROM request_counts WHERE minute < ${minute} FOR UPDATE SKIP LOCKED)`;
}
