import type { Incarnation } from "#domain/incarnation.ts";
import { DISPATCHER_COUNTED_MS, DISPATCHER_SETTLED_MS, SHARD_LEASE_MS, TAKEOVER_PAUSE_MS } from "#domain/timing.ts";
import type { Sql } from "../../client.ts";
import type { Runner } from "../../literals.ts";
import { pgArray } from "../../pg-array.ts";
import { isIncarnation } from "./standing.ts";

/** The fleet at a heartbeat. */
export type FleetCounts = {
  /** Whether this dispatcher has been alive for `DISPATCHER_SETTLED_MS`. */
  isSettled: boolean;
  /** Other dispatchers that are alive, and those of them that are settled. */
  others: number;
  settledOthers: number;
  /** Shards that were given up. */
  givenUp: number;
  /** Shards whose lease, and the pause after it, are over. */
  expired: number;
  /**
   * After how many ms the next shard of another dispatcher becomes free if its lease is not renewed; Infinity when
   * there is none.
   */
  nextFreeInMs: number;
  /** The instant of the heartbeat by the database's clock, epoch ms; null when this dispatcher has stopped. */
  beatAtMs: number | null;
};

/**
 * Sends a heartbeat to the table and to every listener, and returns the state of the fleet. The id of a dispatcher that
 * has stopped is not used again: a heartbeat after its stop changes nothing.
 */
export async function sendHeartbeat(
  sql: Runner,
  me: { id: string; host: string; pid: number; version: string; skewMs: number | null },
): Promise<FleetCounts> {
  const [row] = await sql`
    WITH heartbeat AS (
      INSERT INTO dispatchers (id, host, pid, version, skew_ms, system_identifier, timeline)
      SELECT ${me.id}, ${me.host}, ${me.pid}, ${me.version}, ${me.skewMs}, i.system_identifier, i.timeline
      FROM database_incarnation() i
      ON CONFLICT (id) DO UPDATE SET beat_at = now(), skew_ms = excluded.skew_ms,
        system_identifier = excluded.system_identifier, timeline = excluded.timeline
      WHERE dispatchers.stopped_at IS NULL
      RETURNING beat_at
    ), fleet AS (
      SELECT id = ${me.id} AS is_me, started_at <= now() - ${DISPATCHER_SETTLED_MS} * interval '1 millisecond' AS is_settled
      FROM dispatchers
      WHERE stopped_at IS NULL AND beat_at > now() - ${DISPATCHER_COUNTED_MS} * interval '1 millisecond'
    ), leases AS (
      -- A shard that was given up has an infinite lease end, which PostgreSQL 15 and 16 cannot subtract from.
      SELECT owner, CASE WHEN owner IS NOT NULL
        THEN lease_until + ${TAKEOVER_PAUSE_MS} * interval '1 millisecond' - clock_timestamp() END AS free_in
      FROM shards
    )
    SELECT coalesce((SELECT bool_or(is_me AND is_settled) FROM fleet), false) AS "isSettled",
      (SELECT count(*)::int FROM fleet WHERE NOT is_me) AS others,
      (SELECT count(*)::int FROM fleet WHERE NOT is_me AND is_settled) AS "settledOthers",
      count(*) FILTER (WHERE owner IS NULL)::int AS "givenUp",
      count(*) FILTER (WHERE free_in < '0')::int AS expired,
      extract(epoch FROM min(free_in) FILTER (WHERE owner <> ${me.id} AND free_in >= '0'))::float8 * 1000 AS "nextFreeInMs",
      (SELECT (extract(epoch FROM beat_at) * 1000)::float8 FROM heartbeat) AS "beatAtMs",
      (SELECT pg_notify(due_channel(), 'beat'))
    FROM leases`;
  if (!row) throw new Error("the heartbeat statement returned no row");
  const { isSettled, others, settledOthers, givenUp, expired, nextFreeInMs, beatAtMs } = row;
  return {
    ...{ isSettled, others, settledOthers, givenUp, expired, beatAtMs },
    nextFreeInMs: nextFreeInMs ?? Number.POSITIVE_INFINITY,
  };
}

/**
 * Renews the leases of `epochs` (shard id → epoch), in the database of `incarnation` alone: another one may have the same
 * rows. Returns the shards that this dispatcher still owns.
 */
export async function renewShards(
  sql: Sql,
  owner: string,
  epochs: ReadonlyMap<number, number>,
  incarnation: Incarnation,
): Promise<number[]> {
  const rows = await sql`
    WITH mine AS MATERIALIZED (
      SELECT id FROM shards
      WHERE (id, epoch) IN (
          SELECT * FROM unnest(${pgArray([...epochs.keys()])}::text::smallint[], ${pgArray([...epochs.values()])}::text::bigint[]))
        AND owner = ${owner} AND ${isIncarnation(sql, incarnation)}
      ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE shards s SET lease_until = clock_timestamp() + ${SHARD_LEASE_MS} * interval '1 millisecond'
    FROM mine m WHERE s.id = m.id RETURNING s.id`.values();
  return rows.map((row) => row[0]);
}

/**
 * Takes up to `limit` shards that were given up, or whose lease ended at least `TAKEOVER_PAUSE_MS` ago. The update of
 * the epoch waits for running claims of the former owner and makes every later one of them fail. `sent` is how many
 * first bytes of each lane the former owner sent in its last second, if it gave the shard up. `onlyGivenUp`: leave
 * shards whose lease ended, because this process's clock cannot be trusted. Takes none in a database that is not that of
 * `incarnation`.
 */
export async function takeShards(
  sql: Sql,
  owner: string,
  { limit, onlyGivenUp, incarnation }: { limit: number; onlyGivenUp: boolean; incarnation: Incarnation },
): Promise<{ id: number; epoch: number; sent: Record<string, number> }[]> {
  const rows = await sql`
    WITH free AS MATERIALIZED (
      SELECT id, handover FROM shards
      WHERE lease_until + ${TAKEOVER_PAUSE_MS} * interval '1 millisecond' < clock_timestamp()
        AND (owner IS NULL OR NOT ${onlyGivenUp}::boolean) AND ${isIncarnation(sql, incarnation)}
      ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )
    UPDATE shards s SET owner = ${owner}, epoch = s.epoch + 1, handover = NULL,
      lease_until = clock_timestamp() + ${SHARD_LEASE_MS} * interval '1 millisecond'
    FROM free f WHERE s.id = f.id RETURNING s.id, s.epoch, f.handover`.values();
  return rows.map((row) => ({ id: row[0], epoch: Number(row[1]), sent: row[2] ?? {} }));
}

/**
 * Gives shards up and notifies the other dispatchers, which may take them at once. `sent` is how many first bytes of
 * each lane left within the last second; they still count against its rate. Call it when no first byte of these shards
 * can leave any more.
 */
export async function releaseShards(
  sql: Sql,
  owner: string,
  shards: readonly { id: number; epoch: number; sent: Record<string, number> }[],
): Promise<void> {
  await sql`
    WITH mine AS MATERIALIZED (
      SELECT s.id, w.sent
      FROM jsonb_to_recordset(${JSON.stringify(shards)}::text::jsonb) w(id smallint, epoch bigint, sent jsonb)
      JOIN shards s ON s.id = w.id AND s.epoch = w.epoch
      WHERE s.owner = ${owner}
      ORDER BY s.id FOR UPDATE OF s
    )
    UPDATE shards s SET owner = NULL, epoch = s.epoch + 1, lease_until = '-infinity', handover = m.sent
    FROM mine m WHERE s.id = m.id
    RETURNING pg_notify(due_channel(), 'shards')`;
}

/** Stores that this dispatcher has stopped. */
export async function stopDispatcher(sql: Sql, id: string): Promise<void> {
  await sql`UPDATE dispatchers SET stopped_at = now() WHERE id = ${id}`;
}
