import type { TransactionSql } from "postgres";
import type { Sql } from "../../client.ts";
import { environmentRows, lastShard } from "../../literals.ts";
import { ownersMarks } from "./beats.ts";

export type QueueFigures = {
  due: number;
  firing: number;
  scheduled: number;
  failed: number;
  /** How long ago the oldest schedule that is due fell due, ms; 0 when none is due. */
  oldestDueMs: number;
  /** Whether one of the figures was too large to be counted. */
  isEstimated: boolean;
};

/**
 * Up to these limits schedules are counted. Beyond, `due` stays at its limit, and the other figures are the planner's
 * estimate.
 */
const DUE_MAX = 20_000;
const COUNTED_MAX = 10_000;

/**
 * How many schedules wait. The time that this takes has a bound: each count reads one index in its order, up to a
 * limit, and all other plans are switched off. It begins where the owner of the shard has something open. Schedules of
 * accounts that are not active are neither due nor the oldest, since they wait on purpose.
 */
export async function readQueueFigures(sql: Sql): Promise<QueueFigures> {
  const row = await sql.begin("READ ONLY", async (tx) => {
    await tx`SELECT set_config(name, 'off', true) FROM unnest(ARRAY['enable_seqscan', 'enable_bitmapscan', 'enable_sort']) name`;
    return countQueue(tx);
  });
  const open = row.open > COUNTED_MAX ? Math.max(row.open, row.open_about) : row.open;
  const failed = row.failed > COUNTED_MAX ? Math.max(row.failed, row.failed_about) : row.failed;
  return {
    due: Math.max(0, row.due - row.held),
    firing: row.firing,
    scheduled: Math.max(0, open - failed),
    failed,
    oldestDueMs: Math.round(row.oldest_ms),
    isEstimated: row.open > COUNTED_MAX || row.failed > COUNTED_MAX || row.due >= DUE_MAX,
  };
}

async function countQueue(sql: TransactionSql) {
  const [row] = await sql<
    [
      {
        open: number;
        failed: number;
        firing: number;
        due: number;
        held: number;
        oldest_ms: number;
        open_about: number;
        failed_about: number;
      },
    ]
  >`
    WITH RECURSIVE
    inactive AS MATERIALIZED (SELECT id, shard FROM accounts WHERE status <> 'active' AND erased_at IS NULL),
    owners AS MATERIALIZED (
      SELECT o.owner, m.open_from, m.recovered_to FROM (SELECT owner, min(id) AS shard FROM shards GROUP BY owner) o
      CROSS JOIN LATERAL ${ownersMarks(sql, "o.shard")} m
    ),
    marks AS MATERIALIZED (
      SELECT s.id AS shard, o.open_from, o.recovered_to FROM shards s JOIN owners o ON o.owner IS NOT DISTINCT FROM s.owner
    ),
    walk (shard, n, room) AS (
      SELECT -1, 0::bigint, ${DUE_MAX}::bigint
      UNION ALL
      SELECT w.shard + 1, d.n, w.room - d.n FROM walk w CROSS JOIN LATERAL (
        SELECT count(*) AS n FROM (
          SELECT 1 FROM schedules s
          WHERE s.shard = w.shard + 1 AND s.status IN ('scheduled', 'failed') AND s.next_attempt_at <= now()
            AND s.next_attempt_at >= (SELECT open_from FROM marks WHERE shard = w.shard + 1)
          ORDER BY s.next_attempt_at, s.id LIMIT w.room) due) d
      WHERE w.shard < ${lastShard(sql)} AND w.room > 0
    ),
    open AS MATERIALIZED (
      SELECT s.status FROM marks m CROSS JOIN LATERAL (
        SELECT status FROM schedules
        WHERE shard = m.shard AND status IN ('scheduled', 'failed') AND next_attempt_at >= m.open_from
        ORDER BY next_attempt_at, id LIMIT ${COUNTED_MAX + 1}) s
      LIMIT ${COUNTED_MAX + 1}
    ),
    -- Those of accounts that are not active, which a mark does not know.
    held AS MATERIALIZED (
      SELECT s.status, s.next_attempt_at >= m.open_from AS is_counted FROM inactive i JOIN marks m ON m.shard = i.shard
      CROSS JOIN (VALUES ${environmentRows(sql)}) e(env) CROSS JOIN LATERAL (
        SELECT status, next_attempt_at FROM schedules
        WHERE account_id = i.id AND env = e.env AND status IN ('scheduled', 'failed') AND next_attempt_at <= now()
        ORDER BY next_attempt_at, id LIMIT ${DUE_MAX}) s
    )
    SELECT
      (SELECT count(*) FROM open)::int + (SELECT count(*) FROM held WHERE NOT is_counted)::int AS open,
      CASE WHEN (SELECT count(*) FROM open) <= ${COUNTED_MAX}
        THEN (SELECT count(*) FROM open WHERE status = 'failed')::int
          + (SELECT count(*) FROM held WHERE NOT is_counted AND status = 'failed')::int
        ELSE (SELECT count(*) FROM (SELECT 1 FROM schedules WHERE status = 'failed'
          ORDER BY shard LIMIT ${COUNTED_MAX + 1}) failed)::int END AS failed,
      (SELECT count(*) FROM marks m CROSS JOIN LATERAL (
        SELECT 1 FROM schedules WHERE status = 'firing' AND shard = m.shard AND claim_deadline >= m.recovered_to
        ORDER BY claim_deadline LIMIT ${DUE_MAX}) firing)::int AS firing,
      (SELECT sum(n) FROM walk)::int AS due,
      (SELECT count(*) FROM held WHERE is_counted)::int AS held,
      (SELECT coalesce(max(extract(epoch FROM now() - o.at) * 1000), 0) FROM marks m CROSS JOIN LATERAL (
        SELECT s.next_attempt_at AS at FROM schedules s
        WHERE s.shard = m.shard AND s.status IN ('scheduled', 'failed') AND s.next_attempt_at <= now()
          AND s.next_attempt_at >= m.open_from AND s.account_id <> ALL (ARRAY(SELECT id FROM inactive))
        ORDER BY s.next_attempt_at, s.id LIMIT 1) o)::float8 AS oldest_ms,
      (SELECT reltuples FROM pg_class WHERE oid = 'schedules_due'::regclass) AS open_about,
      (SELECT reltuples FROM pg_class WHERE oid = 'schedules_failed'::regclass) AS failed_about`;
  return row;
}
