import type { Sql } from "../../client.ts";
import type { Runner } from "../../literals.ts";
import { pgArray } from "../../pg-array.ts";
import { cancelLocked } from "../schedules/cancel-locked.ts";

/** What was due before `dueBeforeMs` and has not changed since `heldSinceMs`; epoch ms of the database's clock. */
export type DueBefore = { dueBeforeMs: number; heldSinceMs: number };

/** Where a batch ended: the next one goes on behind it. */
export type Place = { dueMs: number; id: string };

/**
 * Cancels up to `limit` open schedules of a shard that were due before an instant, as DELETE of one does. Those that were
 * created, moved or fired since the hold began stay: nobody can have sent them. Locks the rows in the order of their ids.
 * `next` is null behind the last one.
 */
export async function cancelDueBefore(
  sql: Sql,
  { dueBeforeMs, heldSinceMs }: DueBefore,
  { shard, after, limit }: { shard: number; after: Place | null; limit: number },
): Promise<{ cancelled: number; next: Place | null }> {
  const [row] = await sql`
    WITH found AS MATERIALIZED (
      SELECT id, next_attempt_at FROM schedules
      WHERE shard = ${shard} AND status IN ('scheduled', 'failed')
        AND next_attempt_at < to_timestamp(${dueBeforeMs}::float8 / 1000)
        AND (next_attempt_at, id) > (to_timestamp(${after?.dueMs ?? -1e11}::float8 / 1000), ${after?.id ?? NIL}::uuid)
      ORDER BY next_attempt_at, id LIMIT ${limit}
    ), locked AS MATERIALIZED (
      SELECT s.id FROM schedules s
      WHERE s.id = ANY (ARRAY(SELECT id FROM found)) AND s.status || '' IN ('scheduled', 'failed')
        AND s.next_attempt_at < to_timestamp(${dueBeforeMs}::float8 / 1000)
        AND s.updated_at < to_timestamp(${heldSinceMs}::float8 / 1000)
      ORDER BY s.id FOR UPDATE
    ), cancelled AS (${cancelLocked(sql)})
    SELECT (SELECT count(*)::int FROM cancelled) AS cancelled, (SELECT count(*)::int FROM found) AS found,
      l.id, (extract(epoch FROM l.next_attempt_at) * 1000)::float8 AS ms
    FROM (VALUES (0)) one LEFT JOIN (SELECT * FROM found ORDER BY next_attempt_at DESC, id DESC LIMIT 1) l ON true`;
  return { cancelled: row?.cancelled ?? 0, next: row?.found === limit ? { dueMs: row.ms, id: row.id } : null };
}

const NIL = "00000000-0000-0000-0000-000000000000";

/** Cancels those of the given schedules that are `failed`. Returns how many. */
export async function cancelFailed(sql: Runner, ids: readonly string[]): Promise<number> {
  const cancelled = await sql`
    WITH locked AS MATERIALIZED (
      SELECT id FROM schedules WHERE id = ANY (${pgArray(ids)}::text::uuid[]) AND status || '' = 'failed' ORDER BY id FOR UPDATE
    )
    ${cancelLocked(sql)}`;
  return cancelled.count;
}

/** Whether a claim whose lease has not ended was made of something due before an instant. */
export async function hasRunningClaims(sql: Sql, dueBeforeMs: number): Promise<boolean> {
  const [row] = await sql`
    SELECT EXISTS (SELECT FROM schedules WHERE status = 'firing' AND claim_deadline >= clock_timestamp()
      AND next_attempt_at < to_timestamp(${dueBeforeMs}::float8 / 1000)) AS found`;
  return row?.found === true;
}

/** The dispatchers that have a lease on a shard, which they can still send for: host, pid and version of each. */
export async function readLeaseHolders(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    SELECT DISTINCT coalesce(format('%s, pid %s, version %s', d.host, d.pid, d.version), s.owner::text) AS name
    FROM shards s LEFT JOIN dispatchers d ON d.id = s.owner
    WHERE s.owner IS NOT NULL AND s.lease_until > clock_timestamp() ORDER BY 1`;
  return rows.map(({ name }) => name);
}
