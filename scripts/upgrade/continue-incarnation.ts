import type { Sql } from "postgres";
import { beginHold, endHold } from "#db/queries/fleet/holds.ts";
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

/** Stores that this database, which has another system identifier, continues the one whose heartbeats it has. */
export async function continueIncarnation(sql: Sql): Promise<void> {
  await sql.begin(async (tx) => {
    const { standing } = await readStanding(tx, null);
    await beginHold(tx, "restored", standing.nowMs);
    const { hold } = await readStanding(tx, null);
    if (hold) await endHold(tx, hold.id, { choice: "continued" });
  });
}
