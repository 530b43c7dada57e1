import { SHARD_LEASE_MS } from "#domain/timing.ts";
import type { Runner } from "../../literals.ts";

// A heartbeat is a new row with the next number. Rows of former ones stay as long as a held snapshot sees them: so the last
// one of a dispatcher is always read from the end of the index, and never found by a join.

/**
 * The dispatchers with their last heartbeat, as a table expression: the columns of `dispatchers`, with `beat_at`, `skew_ms`,
 * `system_identifier` and `timeline` of the heartbeat, and `renews`: false for a dispatcher of the previous release, which
 * stores its heartbeats in `dispatchers` and renews the lease of each shard by itself. Those that did not beat within
 * `withinMs` are left out, and at most two minutes more.
 */
export const beatingDispatchers = (sql: Runner, withinMs: number) => sql`(
  SELECT d.id, d.host, d.pid, d.version, d.started_at, d.stopped_at, coalesce(h.beat_at, d.beat_at) AS beat_at,
    coalesce(h.skew_ms, d.skew_ms) AS skew_ms, h.beat IS NOT NULL AS renews
  FROM dispatchers d
  LEFT JOIN LATERAL (SELECT * FROM heartbeats h WHERE h.dispatcher_id = d.id ORDER BY h.beat DESC LIMIT 1) h ON true
  WHERE d.beat_at > now() - ${withinMs} * interval '1 millisecond')`;

/**
 * The newest heartbeat of any dispatcher, as a table expression of at most one row: `beat_at`, its incarnation, and `is_copied`:
 * whether its row was not written by the transaction that it names, as in a copy of rows. VACUUM FULL and freezing keep `xmin`.
 */
export const newestBeat = (sql: Runner) =>
  sql.unsafe(`(
    SELECT * FROM (
      (SELECT beat_at, system_identifier, timeline, database_oid, table_oid,
          coalesce(xmin::text::bigint <> xact & 4294967295, false) AS is_copied
        FROM heartbeats ORDER BY beat_at DESC LIMIT 1)
      UNION ALL
      (SELECT d.beat_at, d.system_identifier, d.timeline, NULL, NULL, false FROM dispatchers d
        WHERE (SELECT h.beat FROM heartbeats h WHERE h.dispatcher_id = d.id ORDER BY h.beat DESC LIMIT 1) IS NULL
        ORDER BY d.beat_at DESC LIMIT 1)) either
    ORDER BY beat_at DESC LIMIT 1)`);

/**
 * When the lease of the row `s` of `shards` ends, an expression: it lasts as long as the heartbeats of its owner, or until its
 * process was found to have ended; `-infinity` for a shard that was given up.
 */
export const leaseUntil = (sql: Runner) =>
  sql.unsafe(`
    CASE WHEN s.owner IS NULL THEN s.lease_until ELSE least(
      coalesce(
        (SELECT h.beat_at + ${SHARD_LEASE_MS} * interval '1 millisecond' FROM heartbeats h
          WHERE h.dispatcher_id = s.owner ORDER BY h.beat DESC LIMIT 1),
        s.lease_until),
      (SELECT d.ended_at FROM dispatchers d WHERE d.id = s.owner)) END`);

/**
 * Marks of the owner of a shard, as a table expression of at most one row: `open_from`, before which nothing open in it is due,
 * and `recovered_to`, before which no lease of a claim in it ends. Each is `-infinity` where that is not known. They are as
 * old as the last heartbeat, so they serve figures and nothing that decides. `shard` is an expression.
 */
export const ownersMarks = (sql: Runner, shard: string) =>
  sql.unsafe(`(
    SELECT coalesce(h.open_from - interval '1 minute', '-infinity') AS open_from,
      coalesce(h.recovered_to, '-infinity') AS recovered_to
    FROM (SELECT 1) one LEFT JOIN LATERAL (
      SELECT h.* FROM heartbeats h WHERE h.dispatcher_id = (SELECT owner FROM shards WHERE id = ${shard})
      ORDER BY h.beat DESC LIMIT 1) h ON true)`);
