import type { HOLD_CHOICES, HoldReason } from "#domain/incarnation.ts";
import type { Runner } from "../../literals.ts";
import { newestBeat } from "./beats.ts";
import type { OpenHold } from "./standing.ts";

/**
 * Begins a hold because of what a dispatcher found, unless there is one, or one ended after `readAtMs` (epoch ms of the
 * database's clock), when the dispatcher read that there is none. `newestBeatAtMs` is the newest heartbeat that it knows of, which
 * the database may lack.
 */
export async function beginHold(
  sql: Runner,
  reason: Exclude<HoldReason, "operator">,
  { readAtMs, newestBeatAtMs }: { readAtMs: number; newestBeatAtMs: number | null },
): Promise<void> {
  await sql`
    INSERT INTO holds (reason, system_identifier, timeline, database_oid, table_oid, newest_beat_at)
    SELECT ${reason}, i.system_identifier, i.timeline, i.database_oid, i.table_oid, to_timestamp(${newestBeatAtMs}::float8 / 1000)
    FROM database_incarnation() i
    WHERE NOT EXISTS (SELECT FROM holds WHERE ended_at >= to_timestamp(${readAtMs}::float8 / 1000))
    ON CONFLICT DO NOTHING`;
}

/** Begins the hold of an operator. An open one becomes the operator's, so that no dispatcher ends it. */
export async function holdForOperator(sql: Runner): Promise<OpenHold> {
  const [row] = await sql<[OpenHold]>`
    INSERT INTO holds AS h (reason, system_identifier, timeline, database_oid, table_oid, newest_beat_at)
    SELECT 'operator', i.system_identifier, i.timeline, i.database_oid, i.table_oid, (SELECT beat_at FROM ${newestBeat(sql)} n)
    FROM database_incarnation() i
    ON CONFLICT ((ended_at IS NULL)) WHERE ended_at IS NULL DO UPDATE SET reason = 'operator'
    RETURNING id, reason, (extract(epoch FROM newest_beat_at) * 1000)::float8 AS "newestBeatAtMs",
      (extract(epoch FROM began_at) * 1000)::float8 AS "beganAtMs"`;
  return row;
}

/**
 * Ends the open hold. Its choice stands for the incarnation that the database has now: dispatchers take it for the one
 * that they know.
 */
export async function endHold(
  sql: Runner,
  id: string,
  { choice, sendFromMs = null }: { choice: (typeof HOLD_CHOICES)[number]; sendFromMs?: number | null },
): Promise<void> {
  await sql`
    UPDATE holds h SET ended_at = clock_timestamp(), choice = ${choice}, send_from = to_timestamp(${sendFromMs}::float8 / 1000),
      system_identifier = i.system_identifier, timeline = i.timeline, database_oid = i.database_oid, table_oid = i.table_oid
    FROM database_incarnation() i WHERE h.id = ${id} AND h.ended_at IS NULL`;
}

/**
 * Stores that this database continues the one whose rows it has, by a hold that has ended: dispatchers ask nothing, however
 * long none of them ran.
 */
export async function continueHere(sql: Runner): Promise<void> {
  await sql`
    INSERT INTO holds (reason, system_identifier, timeline, database_oid, table_oid, newest_beat_at, began_at, ended_at, choice)
    SELECT 'operator', i.system_identifier, i.timeline, i.database_oid, i.table_oid, d.beat_at, n.at, n.at, 'continued'
    FROM database_incarnation() i, (SELECT (SELECT beat_at FROM ${newestBeat(sql)} n) AS beat_at) d,
      LATERAL (SELECT greatest(clock_timestamp(), d.beat_at) AS at) n`;
}
