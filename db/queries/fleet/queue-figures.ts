import type { TransactionSql } from "postgres";
import type { Sql } from "../../client.ts";
import { environmentRows, lastShard } from "../../literals.ts";

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
 * limit, and all other plans are switched off. Schedules of accounts that are not active are neither due nor the
 * oldest, since they wait on purpose.
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
    inactive AS MATERIALIZED (SELECT id FROM accounts WHERE status <> 'active' AND erased_at IS NULL),
    walk (shard, n, room) AS (
      SELECT -1, 0::bigint, ${DUE_MAX}::bigint
      UNION ALL
      SELECT w.shard + 1, d.n, w.room - d.n FROM walk w CROSS JOIN LATERAL (
        SELECT count(*) AS n FROM (
          SELECT 1 FROM schedules s
          WHERE s.shard = w.shard + 1 AND s.status IN ('scheduled', 'failed') AND s.next_attempt_at <= now()
          ORDER BY s.next_attempt_at, s.id LIMIT w.room) due) d
      WHERE w.shard < ${lastShard(sql)} AND w.room > 0
    )
    SELECT
      (SELECT count(*) FROM (SELECT 1 FROM schedules WHERE status IN ('scheduled', 'failed')
        ORDER BY shard, next_attempt_at, id LIMIT ${COUNTED_MAX + 1}) open)::int AS open,
      (SELECT count(*) FROM (SELECT 1 FROM schedules WHERE status = 'failed'
        ORDER BY shard LIMIT ${COUNTED_MAX + 1}) failed)::int AS failed,
      (SELECT count(*) FROM (SELECT 1 FROM schedules WHERE status = 'firing'
        ORDER BY shard, claim_deadline LIMIT ${DUE_MAX}) firing)::int AS firing,
      (SELECT sum(n) FROM walk)::int AS due,
      (SELECT coalesce(sum(h.n), 0) FROM inactive i CROSS JOIN (VALUES ${environmentRows(sql)}) e(env) CROSS JOIN LATERAL (
        SELECT count(*) AS n FROM (
          SELECT 1 FROM schedules s
          WHERE s.account_id = i.id AND s.env = e.env AND s.status IN ('scheduled', 'failed') AND s.next_attempt_at <= now()
          ORDER BY s.next_attempt_at, s.id LIMIT ${DUE_MAX}) held) h)::int AS held,
      (SELECT coalesce(max(extract(epoch FROM now() - o.at) * 1000), 0) FROM generate_series(0, ${lastShard(sql)}) g(shard) CROSS JOIN LATERAL (
        SELECT s.next_attempt_at AS at FROM schedules s
        WHERE s.shard = g.shard AND s.status IN ('scheduled', 'failed') AND s.next_attempt_at <= now()
          AND s.account_id <> ALL (ARRAY(SELECT id FROM inactive))
        ORDER BY s.next_attempt_at, s.id LIMIT 1) o)::float8 AS oldest_ms,
      (SELECT reltuples FROM pg_class WHERE oid = 'schedules_due'::regclass) AS open_about,
      (SELECT reltuples FROM pg_class WHERE oid = 'schedules_failed'::regclass) AS failed_about`;
  return row;
}
