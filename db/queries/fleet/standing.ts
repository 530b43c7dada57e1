import type { HoldReason, Incarnation, Mark, Standing } from "#domain/incarnation.ts";
import { lastShard, type Runner } from "../../literals.ts";
import { newestBeat } from "./beats.ts";

/** The hold that is not ended. Instants are epoch ms. */
export type OpenHold = { id: string; reason: HoldReason; newestBeatAtMs: number | null; beganAtMs: number };

/**
 * What decides whether a dispatcher may claim from this database: its incarnation, the newest heartbeat in it, the
 * dispatcher's own heartbeat, the last choice of an operator, and the open hold. `dispatcherId` is null for a process that
 * is none.
 */
export async function readStanding(
  sql: Runner,
  dispatcherId: string | null,
): Promise<{ standing: Standing; hold: OpenHold | null }> {
  const ms = (column: string) => sql.unsafe(`(extract(epoch FROM ${column}) * 1000)::float8`);
  const [row] = await sql`
    SELECT i.system_identifier::text, i.timeline::float8, ${ms("clock_timestamp()")} AS now_ms,
      n.system_identifier::text AS newest_system, n.timeline::float8 AS newest_timeline, ${ms("n.beat_at")} AS newest_ms,
      ${ms("o.beat_at")} AS own_ms,
      c.system_identifier::text AS chosen_system, c.timeline::float8 AS chosen_timeline, ${ms("c.ended_at")} AS chosen_ms,
      h.id AS hold_id, h.reason, ${ms("h.newest_beat_at")} AS held_beat_ms, ${ms("h.began_at")} AS held_ms
    FROM database_incarnation() i
    LEFT JOIN LATERAL ${newestBeat(sql)} n ON true
    LEFT JOIN LATERAL (
      SELECT beat_at FROM heartbeats WHERE dispatcher_id = ${dispatcherId} ORDER BY beat DESC LIMIT 1) o ON true
    LEFT JOIN LATERAL (SELECT * FROM holds WHERE ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT 1) c ON true
    LEFT JOIN holds h ON h.ended_at IS NULL`;
  if (!row) throw new Error("the standing of the database could not be read");
  const mark = (atMs: number | null, systemIdentifier: string | null, timeline: number | null): Mark | null =>
    atMs === null ? null : { atMs, systemIdentifier, timeline };
  return {
    standing: {
      current: { systemIdentifier: row.system_identifier, timeline: row.timeline },
      nowMs: row.now_ms,
      newest: mark(row.newest_ms, row.newest_system, row.newest_timeline),
      ownAtMs: row.own_ms,
      choice: mark(row.chosen_ms, row.chosen_system, row.chosen_timeline),
    },
    hold: row.hold_id && {
      id: row.hold_id,
      reason: row.reason,
      newestBeatAtMs: row.held_beat_ms,
      beganAtMs: row.held_ms,
    },
  };
}

/**
 * Whether a dispatcher would send something: an open schedule is due or was claimed without a recorded outcome, or an
 * operation that replays schedules is running.
 */
export async function hasDueWork(sql: Runner): Promise<boolean> {
  const [row] = await sql`
    SELECT EXISTS (SELECT FROM schedules WHERE status = 'firing')
      OR EXISTS (SELECT FROM operations WHERE status = 'running' AND action = 'replay')
      OR EXISTS (
        SELECT FROM generate_series(0, ${lastShard(sql)}) g(shard) CROSS JOIN LATERAL (
          SELECT FROM schedules s
          WHERE s.shard = g.shard AND s.status IN ('scheduled', 'failed') AND s.next_attempt_at <= now() LIMIT 1) due) AS found`;
  return row?.found === true;
}

/** A condition: the statement runs in the database whose incarnation this is. What is not known does not differ. */
export const isIncarnation = (sql: Runner, { systemIdentifier, timeline }: Incarnation) => sql`(
  SELECT coalesce(i.system_identifier = ${systemIdentifier}::bigint, true) AND coalesce(i.timeline = ${timeline}::bigint, true)
  FROM database_incarnation() i)`;
