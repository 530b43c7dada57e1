import { DISPATCHER_ALIVE_MS, SHARD_LEASE_MS, TAKEOVER_PAUSE_MS } from "#domain/timing.ts";
import type { Sql } from "../client.ts";
import { pgArray } from "./pg-array.ts";

/** Says that this dispatcher lives; returns how many do. */
export async function beatDispatcher(
  sql: Sql,
  me: { id: string; host: string; pid: number; version: string; skewMs: number | null },
): Promise<number> {
  const [row] = await sql`
    WITH beat AS (
      INSERT INTO dispatchers (id, host, pid, version, skew_ms)
      VALUES (${me.id}, ${me.host}, ${me.pid}, ${me.version}, ${me.skewMs})
      ON CONFLICT (id) DO UPDATE SET beat_at = now(), stopped_at = NULL, skew_ms = excluded.skew_ms
    )
    SELECT count(*)::int AS alive FROM dispatchers
    WHERE id <> ${me.id} AND stopped_at IS NULL AND beat_at > now() - ${DISPATCHER_ALIVE_MS} * interval '1 millisecond'`;
  return (row?.alive ?? 0) + 1;
}

/** Renews the leases of `epochs` (shard id → epoch); returns the shards that are still this dispatcher's. */
export async function renewShards(sql: Sql, owner: string, epochs: ReadonlyMap<number, number>): Promise<number[]> {
  const rows = await sql`
    WITH mine AS MATERIALIZED (
      SELECT id FROM shards
      WHERE (id, epoch) IN (
          SELECT * FROM unnest(${pgArray([...epochs.keys()])}::text::smallint[], ${pgArray([...epochs.values()])}::text::bigint[]))
        AND owner = ${owner}
      ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE shards s SET lease_until = clock_timestamp() + ${SHARD_LEASE_MS} * interval '1 millisecond'
    FROM mine m WHERE s.id = m.id RETURNING s.id`.values();
  return rows.map((row) => row[0]);
}

/**
 * Takes up to `limit` shards whose lease ended at least a second ago. The new epoch waits for claims that are under way
 * and shuts out every later one of the former owner.
 */
export async function takeShards(sql: Sql, owner: string, limit: number): Promise<{ id: number; epoch: number }[]> {
  const rows = await sql`
    WITH free AS MATERIALIZED (
      SELECT id FROM shards
      WHERE lease_until + ${TAKEOVER_PAUSE_MS} * interval '1 millisecond' < clock_timestamp()
      ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )
    UPDATE shards s SET owner = ${owner}, epoch = s.epoch + 1,
      lease_until = clock_timestamp() + ${SHARD_LEASE_MS} * interval '1 millisecond'
    FROM free f WHERE s.id = f.id RETURNING s.id, s.epoch`.values();
  return rows.map((row) => ({ id: row[0], epoch: Number(row[1]) }));
}

/** Ends the leases of `epochs` now, so that another dispatcher takes these shards a second later. */
export async function releaseShards(sql: Sql, owner: string, epochs: ReadonlyMap<number, number>): Promise<void> {
  await sql`
    WITH mine AS MATERIALIZED (
      SELECT id FROM shards
      WHERE (id, epoch) IN (
          SELECT * FROM unnest(${pgArray([...epochs.keys()])}::text::smallint[], ${pgArray([...epochs.values()])}::text::bigint[]))
        AND owner = ${owner}
      ORDER BY id FOR UPDATE
    )
    UPDATE shards s SET owner = NULL, epoch = s.epoch + 1, lease_until = least(s.lease_until, clock_timestamp())
    FROM mine m WHERE s.id = m.id`;
}

/** Says that this dispatcher has stopped. */
export async function stopDispatcher(sql: Sql, id: string): Promise<void> {
  await sql`UPDATE dispatchers SET stopped_at = now() WHERE id = ${id}`;
}
