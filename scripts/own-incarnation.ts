import type { Sql } from "postgres";
import { readStanding } from "#db/queries/fleet/standing.ts";
import { judgeDatabase } from "#domain/incarnation.ts";

/**
 * Whether a database is the one of its newest heartbeat, so that a complete copy of it may go on without a question. One that
 * is held, or was restored and seen by no dispatcher since, keeps its question.
 */
export async function isOwnIncarnation(sql: Sql): Promise<boolean> {
  const { standing, hold } = await readStanding(sql, null);
  return hold === null && judgeDatabase(null, { ...standing, nowMs: Number.POSITIVE_INFINITY }) === "continues";
}
