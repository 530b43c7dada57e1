import type { Incarnation } from "#domain/incarnation.ts";
import { DISPATCHER_COUNTED_MS, DISPATCHER_SETTLED_MS, SHARD_LEASE_MS, TAKEOVER_PAUSE_MS } from "#domain/timing.ts";
import type { Sql } from "../../client.ts";
import type { Runner } from "../../literals.ts";
import { pgArray } from "../../pg-array.ts";
import { beatingDispatchers, leaseUntil } from "./beats.ts";
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
  /** Its number. */
  beat: number | null;
};

/** A dispatcher as its heartbeats store it. The marks (epoch ms) are of all shards that it owns; null where not known. */
export type BeatingDispatcher = {
  id: string;
  host: string;
  pid: number;
  version: string;
  /** The name of its process, by which others on the machine can tell whether it has ended; null without one. */
  process?: string | null;
  skewMs: number | null;
  /** Claims whose lease ended before this are recovered. */
  recoveredToMs?: number | null;
  /** Nothing open is due before this. */
  openFromMs?: number | null;
};

/** How far `dispatchers.beat_at` is set ahead for processes of the previous release, and how often. */
const AHEAD_S = 120;
const AHEAD_AGAIN_S = 60;

/**
 * Sends a heartbeat to the table and to every listener, which renews the leases of the dispatcher's shards, in the transaction
 * of the caller. Returns the state of the fleet and the shards that the dispatcher owns (shard id → epoch). The id of a
 * dispatcher that has stopped is not used again: a heartbeat after its stop changes nothing.
 */
export async function sendHeartbeat(
  tx: Runner,
  me: BeatingDispatcher,
): Promise<FleetCounts & { owned: Map<number, number> }> {
  const stored = await storeBeat(tx, me);
  const [row] = await tx`
    WITH fleet AS (
      SELECT id = ${me.id} AS is_me, started_at <= beat_at - ${DISPATCHER_SETTLED_MS} * interval '1 millisecond' AS is_settled,
        renews
      FROM ${beatingDispatchers(tx, DISPATCHER_COUNTED_MS)} d
      WHERE stopped_at IS NULL AND beat_at > now() - ${DISPATCHER_COUNTED_MS} * interval '1 millisecond'
    ), ends AS MATERIALIZED (
      SELECT s.owner, ${leaseUntil(tx)} AS lease_until FROM (SELECT DISTINCT ON (owner) * FROM shards ORDER BY owner, lease_until) s
    ), leases AS (
      -- A shard that was given up has an infinite lease end, which PostgreSQL 15 and 16 cannot subtract from.
      SELECT s.id, s.epoch, s.owner, CASE WHEN s.owner IS NOT NULL
        THEN e.lease_until + ${TAKEOVER_PAUSE_MS} * interval '1 millisecond' - clock_timestamp() END AS free_in
      FROM shards s LEFT JOIN ends e ON e.owner = s.owner
    )
    SELECT coalesce((SELECT bool_or(is_me AND is_settled) FROM fleet), false) AS "isSettled",
      (SELECT count(*)::int FROM fleet WHERE NOT is_me) AS others,
      (SELECT count(*)::int FROM fleet WHERE NOT is_me AND is_settled) AS "settledOthers",
      (SELECT bool_or(NOT renews) FROM fleet) AS "hasFormer",
      count(*) FILTER (WHERE owner IS NULL)::int AS "givenUp",
      count(*) FILTER (WHERE free_in < '0')::int AS expired,
      extract(epoch FROM min(free_in) FILTER (WHERE owner <> ${me.id} AND free_in >= '0'))::float8 * 1000 AS "nextFreeInMs",
      json_agg(ARRAY[id, epoch]) FILTER (WHERE owner = ${me.id}) AS owned,
      (SELECT pg_notify(due_channel(), 'beat'))
    FROM leases`;
  if (!row) throw new Error("the heartbeat statement returned no row");
  const { isSettled, others, settledOthers, givenUp, expired, nextFreeInMs } = row;
  if (stored !== null) await beatForFormer(tx, me.id, row.hasFormer === true);
  return {
    isSettled,
    others,
    settledOthers,
    givenUp,
    expired,
    beatAtMs: stored?.atMs ?? null,
    beat: stored?.beat ?? null,
    nextFreeInMs: nextFreeInMs ?? Number.POSITIVE_INFINITY,
    owned: new Map(row.owned ?? []),
  };
}

/**
 * Stores the heartbeat, under the lock of the dispatcher's row: whoever takes its shards over holds that too, and comes wholly
 * before or wholly after. Returns its number and its instant, epoch ms; null when the dispatcher has stopped.
 */
async function storeBeat(tx: Runner, me: BeatingDispatcher): Promise<{ beat: number; atMs: number } | null> {
  const lock = () => tx`SELECT FROM dispatchers WHERE id = ${me.id} AND stopped_at IS NULL FOR NO KEY UPDATE`;
  let [mine] = await lock();
  if (!mine) {
    await tx`
      INSERT INTO dispatchers (id, host, pid, version, process)
      VALUES (${me.id}, ${me.host}, ${me.pid}, ${me.version}, ${me.process ?? null})
      ON CONFLICT DO NOTHING`;
    [mine] = await lock();
  }
  if (!mine) return null;
  const at = (ms: number | null | undefined) => tx`to_timestamp(${ms ?? null}::float8 / 1000)`;
  const [row] = await tx<{ beat: number; atMs: number }[]>`
    WITH last AS MATERIALIZED (
      SELECT coalesce((SELECT beat FROM heartbeats WHERE dispatcher_id = ${me.id} ORDER BY beat DESC LIMIT 1), 0) AS beat
    ), gone AS (
      DELETE FROM heartbeats WHERE dispatcher_id = ${me.id} AND beat = (SELECT beat FROM last)
    )
    INSERT INTO heartbeats (dispatcher_id, beat, beat_at, skew_ms, system_identifier, timeline, database_oid, table_oid,
      recovered_to, open_from, xact)
    SELECT ${me.id}, last.beat + 1, clock_timestamp(), ${me.skewMs}, i.system_identifier, i.timeline, i.database_oid, i.table_oid,
      ${at(me.recoveredToMs)}, ${at(me.openFromMs)}, pg_current_xact_id()::text::bigint
    FROM last, database_incarnation() i
    RETURNING beat::float8, (extract(epoch FROM beat_at) * 1000)::float8 AS "atMs"`;
  return row ?? null;
}

/**
 * Shows the dispatcher to processes of the previous release, which read `dispatchers.beat_at` and `shards.lease_until`: once a
 * minute ahead, so that the rows get few versions; each time while a dispatcher of that release is alive.
 */
async function beatForFormer(tx: Runner, id: string, hasFormer: boolean): Promise<void> {
  const [shown] = hasFormer
    ? await tx`UPDATE dispatchers SET beat_at = now() WHERE id = ${id}`
    : await tx`
        UPDATE dispatchers SET beat_at = now() + ${AHEAD_S} * interval '1 second'
        WHERE id = ${id} AND beat_at < now() + ${AHEAD_S - AHEAD_AGAIN_S} * interval '1 second'`;
  if (shown || !hasFormer) return;
  await tx`
    UPDATE shards SET lease_until = clock_timestamp() + ${SHARD_LEASE_MS} * interval '1 millisecond'
    WHERE id = ANY (ARRAY(SELECT id FROM shards WHERE owner = ${id} ORDER BY id FOR NO KEY UPDATE))`;
}

export type TakenShard = {
  id: number;
  epoch: number;
  /** How many first bytes of each lane the former owner sent in its last second, if it gave the shard up. */
  sent: Record<string, number>;
  /** Claims whose lease ended before this were recovered by former owners, epoch ms; null when that is not known. */
  recoveredToMs: number | null;
};

/**
 * Takes up to `limit` shards that were given up, or whose lease ended at least `TAKEOVER_PAUSE_MS` ago, in the transaction of
 * the caller. The lock of their owners' rows waits for no heartbeat and lets none come between. The update of the epoch waits
 * for running claims of the former owner and makes every later one of them fail. `onlyGivenUp`: leave shards whose lease
 * ended, because this process's clock cannot be trusted. Takes none in a database that is not that of `incarnation`.
 */
export async function takeShards(
  tx: Runner,
  owner: string,
  { limit, onlyGivenUp, incarnation }: { limit: number; onlyGivenUp: boolean; incarnation: Incarnation },
): Promise<TakenShard[]> {
  const isOver = tx`${leaseUntil(tx)} + ${TAKEOVER_PAUSE_MS} * interval '1 millisecond' < clock_timestamp()`;
  const gone = onlyGivenUp
    ? []
    : await tx`
        SELECT d.id FROM dispatchers d
        WHERE d.id = ANY (ARRAY(SELECT s.owner FROM shards s WHERE s.owner IS NOT NULL AND ${isOver}))
        ORDER BY d.id FOR UPDATE SKIP LOCKED`;
  // A second statement, which sees the heartbeats that were stored before the locks. A mark in the heartbeat of an owner holds for
  // the shards that it owned by then. Marks in the future are from before the clock was set back.
  const rows = await tx`
    WITH free AS MATERIALIZED (
      SELECT s.id, s.handover, CASE WHEN s.recovered_to <= clock_timestamp() THEN s.recovered_to END AS recovered_to, s.lease_until,
        s.owner
      FROM shards s
      WHERE ${isOver}
        AND (s.owner IS NULL OR NOT ${onlyGivenUp}::boolean AND (
          s.owner = ANY (${pgArray(gone.map(({ id }) => id))}::text::uuid[])
          OR NOT EXISTS (SELECT FROM dispatchers d WHERE d.id = s.owner)))
        AND ${isIncarnation(tx, incarnation)}
      ORDER BY s.id LIMIT ${limit} FOR UPDATE OF s SKIP LOCKED
    )
    UPDATE shards s SET owner = ${owner}, epoch = s.epoch + 1, handover = NULL,
      recovered_to = greatest(f.recovered_to, (
        SELECT CASE WHEN h.recovered_to <= clock_timestamp()
          AND h.beat_at + ${SHARD_LEASE_MS} * interval '1 millisecond' > f.lease_until THEN h.recovered_to END
        FROM heartbeats h WHERE h.dispatcher_id = f.owner ORDER BY h.beat DESC LIMIT 1)),
      lease_until = clock_timestamp() + ${SHARD_LEASE_MS} * interval '1 millisecond'
    FROM free f WHERE s.id = f.id
    RETURNING s.id, s.epoch, f.handover, extract(epoch FROM s.recovered_to)::float8 * 1000`.values();
  return rows.map((row) => ({ id: row[0], epoch: Number(row[1]), sent: row[2] ?? {}, recoveredToMs: row[3] }));
}

/**
 * Gives shards up and notifies the other dispatchers, which may take them at once. `sent` is how many first bytes of
 * each lane left within the last second; they still count against its rate. Call it when no first byte of these shards
 * can leave any more.
 */
export async function releaseShards(sql: Sql, owner: string, shards: readonly TakenShard[]): Promise<void> {
  await sql`
    WITH mine AS MATERIALIZED (
      SELECT s.id, w.sent, w."recoveredToMs" AS recovered_ms
      FROM jsonb_to_recordset(${JSON.stringify(shards)}::text::jsonb) w(id smallint, epoch bigint, sent jsonb, "recoveredToMs" float8)
      JOIN shards s ON s.id = w.id AND s.epoch = w.epoch
      WHERE s.owner = ${owner}
      ORDER BY s.id FOR UPDATE OF s
    )
    UPDATE shards s SET owner = NULL, epoch = s.epoch + 1, lease_until = '-infinity', handover = m.sent,
      recovered_to = coalesce(to_timestamp(m.recovered_ms / 1000), s.recovered_to)
    FROM mine m WHERE s.id = m.id
    RETURNING pg_notify(due_channel(), 'shards')`;
}

/** Stores that this dispatcher has stopped. */
export async function stopDispatcher(sql: Sql, id: string): Promise<void> {
  await sql`UPDATE dispatchers SET stopped_at = now() WHERE id = ${id}`;
}
