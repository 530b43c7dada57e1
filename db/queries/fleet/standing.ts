import type { HoldReason, Incarnation, Standing } from "#domain/incarnation.ts";
import { lastShard, type Runner } from "../../literals.ts";
import { newestBeat } from "./beats.ts";

/** The hold that is not ended. Instants are epoch ms. */
export type OpenHold = { id: string; reason: HoldReason; newestBeatAtMs: number | null; beganAtMs: number };

/**
 * What decides whether a dispatcher may claim from this database: its incarnation, the newest heartbeat in it, the
 * dispatcher's own heartbeat, the last choice of an operator, and the open hold. `dispatcherId` is null for a process that
 * is none. `isWhole` is false while rows are still loaded: pg_restore makes primary keys after that.
 */
export async function readStanding(
  sql: Runner,
  dispatcherId: string | null,
): Promise<{ standing: Standing; hold: OpenHold | null; isWhole: boolean }> {
  const ms = (column: string) => sql.unsafe(`(extract(epoch FROM ${column}) * 1000)::float8`);
  const mark = (row: string, atColumn: string) =>
    sql.unsafe(`CASE WHEN ${row}.${atColumn} IS NOT NULL THEN jsonb_build_object(
      'systemIdentifier', ${row}.system_identifier::text, 'timeline', ${row}.timeline, 'databaseOid', ${row}.database_oid,
      'tableOid', ${row}.table_oid, 'atMs', extract(epoch FROM ${row}.${atColumn}) * 1000) END`);
  const [row] = await sql`
    SELECT ${mark("i", "now_at")} AS current, i.was_standby, ${ms("i.now_at")} AS now_ms,
      ${mark("n", "beat_at")} AS newest, coalesce(n.is_copied, false) AS is_copied, ${ms("o.beat_at")} AS own_ms,
      ${mark("c", "ended_at")} AS choice,
      h.id AS hold_id, h.reason, ${ms("h.newest_beat_at")} AS held_beat_ms, ${ms("h.began_at")} AS held_ms,
      (SELECT count(*) = ${WHOLE.length} FROM pg_index WHERE indisprimary
        AND indrelid = ANY (ARRAY[${sql.unsafe(WHOLE.map((table) => `to_regclass('${table}')`).join())}]::oid[])) AS is_whole
    FROM (SELECT *, clock_timestamp() AS now_at FROM database_incarnation()) i
    LEFT JOIN LATERAL ${newestBeat(sql)} n ON true
    LEFT JOIN LATERAL (
      SELECT beat_at FROM heartbeats WHERE dispatcher_id = ${dispatcherId} ORDER BY beat DESC LIMIT 1) o ON true
    LEFT JOIN LATERAL (SELECT * FROM holds WHERE ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT 1) c ON true
    LEFT JOIN holds h ON h.ended_at IS NULL`;
  if (!row) throw new Error("the standing of the database could not be read");
  const { atMs: _, ...current } = row.current;
  return {
    standing: {
      current,
      wasStandby: row.was_standby,
      nowMs: row.now_ms,
      newest: row.newest && { ...row.newest, isCopied: row.is_copied },
      ownAtMs: row.own_ms,
      choice: row.choice,
    },
    hold: row.hold_id && {
      id: row.hold_id,
      reason: row.reason,
      newestBeatAtMs: row.held_beat_ms,
      beganAtMs: row.held_ms,
    },
    isWhole: row.is_whole,
  };
}

/** The tables whose rows decide what is sent. */
const WHOLE = ["heartbeats", "holds", "schedules", "operations"];

/**
 * Whether a dispatcher would send something, now or later: a schedule is open, or an operation that replays schedules is
 * running.
 */
export async function hasPendingWork(sql: Runner): Promise<boolean> {
  const [row] = await sql`
    SELECT EXISTS (SELECT FROM schedules WHERE status = 'firing')
      OR EXISTS (SELECT FROM operations WHERE status = 'running' AND action = 'replay')
      OR EXISTS (
        SELECT FROM generate_series(0, ${lastShard(sql)}) g(shard) CROSS JOIN LATERAL (
          SELECT FROM schedules s WHERE s.shard = g.shard AND s.status IN ('scheduled', 'failed')
          ORDER BY s.next_attempt_at LIMIT 1) open) AS found`;
  return row?.found === true;
}

/** A condition: the statement runs in the database whose incarnation this is. What is not known does not differ. */
export const isIncarnation = (sql: Runner, { systemIdentifier, timeline, databaseOid, tableOid }: Incarnation) => sql`(
  SELECT coalesce(i.system_identifier = ${systemIdentifier}::bigint, true) AND coalesce(i.timeline = ${timeline}::bigint, true)
    AND coalesce(i.database_oid = ${databaseOid}::bigint, true) AND coalesce(i.table_oid = ${tableOid}::bigint, true)
  FROM database_incarnation() i)`;
