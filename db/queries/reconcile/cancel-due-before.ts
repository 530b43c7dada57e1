import { CANCELLED_BY_RECONCILE } from "#domain/incarnation.ts";
import type { Sql } from "../../client.ts";
import type { Runner } from "../../literals.ts";
import { pgArray } from "../../pg-array.ts";
import { leaseUntil } from "../fleet/beats.ts";
import { HELD } from "../recurrences/held.ts";
import { cancelLocked } from "../schedules/cancel-locked.ts";

/**
 * What was due before `dueBeforeMs` and has not changed since `heldSinceMs`; epoch ms of the database's clock. `dueBeforeMs` is
 * Infinity for everything that is open.
 */
export type DueBefore = { dueBeforeMs: number; heldSinceMs: number };

const BY_RECONCILE = { lastError: CANCELLED_BY_RECONCILE };

/** Where a batch ended: the next one goes on behind it. */
export type Place = { dueMs: number; id: string };

/**
 * Cancels up to `limit` open schedules of a shard that were due before an instant, as DELETE of one does, but for their `last_error`. Those that were
 * created, moved or fired since the hold began stay: nobody can have sent them. Locks the rows in the order of their ids.
 * `next` is null behind the last one.
 */
export async function cancelDueBefore(
  sql: Sql,
  { dueBeforeMs, heldSinceMs }: DueBefore,
  { shard, after, limit }: { shard: number; after: Place | null; limit: number },
): Promise<{ cancelled: number; next: Place | null }> {
  const dueBefore = sql`to_timestamp(${dueBeforeMs}::float8 / 1000)`;
  const open = sql`
    SELECT id, next_attempt_at FROM schedules WHERE shard = ${shard} AND status IN ('scheduled', 'failed')
      AND (next_attempt_at, id) > (to_timestamp(${after?.dueMs ?? -1e11}::float8 / 1000), ${after?.id ?? NIL}::uuid)`;
  // What is held until it is known whether it overlaps is due when it fires.
  const [row] = await sql`
    WITH found AS MATERIALIZED (
      SELECT id, next_attempt_at FROM (
        (${open} AND next_attempt_at < ${dueBefore} ORDER BY next_attempt_at, id LIMIT ${limit})
        UNION ALL
        (${open} AND next_attempt_at = ${HELD}::timestamptz AND fire_at < ${dueBefore}
          AND next_attempt_at >= ${dueBefore} ORDER BY next_attempt_at, id LIMIT ${limit})) o
      ORDER BY next_attempt_at, id LIMIT ${limit}
    ), locked AS MATERIALIZED (
      SELECT s.id FROM schedules s
      WHERE s.id = ANY (ARRAY(SELECT id FROM found)) AND s.status || '' IN ('scheduled', 'failed')
        AND (s.next_attempt_at < ${dueBefore} OR (s.next_attempt_at = ${HELD}::timestamptz AND s.fire_at < ${dueBefore}))
        AND s.updated_at < to_timestamp(${heldSinceMs}::float8 / 1000)
      ORDER BY s.id FOR UPDATE
    ), cancelled AS (${cancelLocked(sql, BY_RECONCILE)})
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
    ${cancelLocked(sql, BY_RECONCILE)}`;
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
    WHERE s.owner IS NOT NULL AND ${leaseUntil(sql)} > clock_timestamp() ORDER BY 1`;
  return rows.map(({ name }) => name);
}

/**
 * How many schedules `cancelDueBefore` and the record of claims would cancel, and how many would be left that are due at `nowMs`, for
 * each of the given instants.
 */
export async function countChoices(
  sql: Sql,
  { nowMs, heldSinceMs, dueBeforeMs }: { nowMs: number; heldSinceMs: number; dueBeforeMs: readonly number[] },
): Promise<{ sends: number; cancels: number }[]> {
  const rows = await sql<{ sends: number; cancels: number }[]>`
    SELECT count(s.at_ms) FILTER (WHERE s.at_ms < c.ms AND s.may_be_sent)::float8 AS cancels,
      count(s.at_ms) FILTER (WHERE s.at_ms <= ${nowMs}::float8 AND NOT (s.at_ms < c.ms AND s.may_be_sent))::float8 AS sends
    FROM unnest(${pgArray(dueBeforeMs)}::text::float8[]) WITH ORDINALITY c(ms, n)
    LEFT JOIN (
      SELECT (extract(epoch FROM next_attempt_at) * 1000)::float8 AS at_ms,
        status = 'firing' OR updated_at < to_timestamp(${heldSinceMs}::float8 / 1000) AS may_be_sent
      FROM schedules WHERE status IN ('scheduled', 'failed', 'firing')) s ON true
    GROUP BY c.n ORDER BY c.n`;
  return [...rows];
}
