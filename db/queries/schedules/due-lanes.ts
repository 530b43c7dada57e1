import type { Environment } from "#domain/environment.ts";
import type { Sql } from "../../client.ts";
import { pgArray } from "../../pg-array.ts";
import { type DueCursor, type DueSchedule, dueSchedule, limitOf, testPath } from "./due.ts";

/** One account (UUID) in one environment. */
export type LaneId = { accountId: string; env: Environment };

/** A lane with its entry in the calendar (epoch ms), which is at or before its oldest open schedule. */
export type DueLane = LaneId & { shard: number; dueAtMs: number };

/** A lane with the earliest and the latest of its schedules that have come within the horizon, epoch ms. */
export type ComingLane = DueLane & { lastDueAtMs: number };

/** A cursor in the calendar of one shard: epoch ms and lane. */
export type LaneCursor = LaneId & { ms: number };

const NO_ACCOUNT = "00000000-0000-0000-0000-000000000000";

export const BEFORE_ALL_LANES: LaneCursor = { ms: Number.NEGATIVE_INFINITY, accountId: NO_ACCOUNT, env: "live" };

/**
 * The lanes of each shard whose entry is behind the shard's cursor `from` and up to `untilMs` (inclusive), in the order
 * of their entries, at most `limit` per shard. Reads the calendar alone: an account may be inactive, and an entry too
 * early.
 */
export async function readDueLanes(
  sql: Sql,
  shards: readonly { id: number; from: LaneCursor }[],
  untilMs: number,
  limit: number,
): Promise<DueLane[]> {
  const rows = await sql`
    SELECT l.account_id, l.env, l.shard, extract(epoch FROM l.due_at)::float8 * 1000
    FROM unnest(
      ${pgArray(shards.map((shard) => shard.id))}::text::smallint[],
      ${pgArray(shards.map((shard) => shard.from.ms))}::text::float8[],
      ${pgArray(shards.map((shard) => shard.from.accountId))}::text::uuid[],
      ${pgArray(shards.map((shard) => shard.from.env))}::text::text[]) w(shard, from_ms, from_account, from_env)
    CROSS JOIN LATERAL (
      SELECT d.account_id, d.env, d.shard, d.due_at FROM lanes d
      WHERE d.shard = w.shard
        AND (d.due_at, d.account_id, d.env) > (to_timestamp(w.from_ms / 1000)::timestamptz(3), w.from_account, w.from_env)
        AND d.due_at <= to_timestamp(${untilMs}::float8 / 1000)
      ORDER BY d.due_at, d.account_id, d.env LIMIT ${limit}) l
    ORDER BY l.due_at, l.account_id, l.env`.values();
  return rows.map((row) => ({ accountId: row[0], env: row[1], shard: row[2], dueAtMs: Math.round(row[3]) }));
}

/** The entries of these lanes in the calendar, epoch ms. Lanes without one are left out. */
export async function readEntries(sql: Sql, lanes: readonly LaneId[]): Promise<(LaneId & { dueAtMs: number })[]> {
  const rows = await sql`
    SELECT w.account_id, w.env, extract(epoch FROM l.due_at)::float8 * 1000
    FROM unnest(
      ${pgArray(lanes.map((lane) => lane.accountId))}::text::uuid[],
      ${pgArray(lanes.map((lane) => lane.env))}::text::text[]) w(account_id, env)
    CROSS JOIN LATERAL (
      SELECT e.due_at FROM lanes e WHERE e.account_id = w.account_id AND e.env = w.env AND e.due_at IS NOT NULL OFFSET 0) l
    `.values();
  return rows.map((row) => ({ accountId: row[0], env: row[1], dueAtMs: Math.round(row[2]) }));
}

/**
 * The lanes with schedules that fall due behind each shard's cursor `from` and up to `untilMs` (inclusive). `dueAtMs` is
 * the earliest of these schedules, `lastDueAtMs` the latest. Reads at most `limit` schedules per shard; `reached` is
 * where reading ended in shards that may have more. An account may be inactive.
 */
export async function findComingLanes(
  sql: Sql,
  shards: readonly { id: number; from: DueCursor }[],
  untilMs: number,
  limit: number,
): Promise<{ coming: ComingLane[]; reached: Map<number, DueCursor> }> {
  const rows = await sql`
    WITH coming AS MATERIALIZED (
      SELECT w.shard, s.* FROM unnest(
        ${pgArray(shards.map((shard) => shard.id))}::text::smallint[],
        ${pgArray(shards.map((shard) => shard.from.ms))}::text::float8[],
        ${pgArray(shards.map((shard) => shard.from.id))}::text::uuid[]) w(shard, from_ms, from_id)
      CROSS JOIN LATERAL (
        SELECT d.account_id, d.env, d.next_attempt_at AS due_at, d.id FROM schedules d
        WHERE d.shard = w.shard AND d.status IN ('scheduled', 'failed')
          AND (d.next_attempt_at, d.id) > (to_timestamp(w.from_ms / 1000)::timestamptz(3), w.from_id)
          AND d.next_attempt_at <= to_timestamp(${untilMs}::float8 / 1000)
        ORDER BY d.next_attempt_at, d.id LIMIT ${limit}) s)
    SELECT shard, account_id, env, extract(epoch FROM min(due_at))::float8 * 1000, NULL::uuid,
      extract(epoch FROM max(due_at))::float8 * 1000
    FROM coming GROUP BY shard, account_id, env
    UNION ALL
    (SELECT DISTINCT ON (shard) shard, NULL, NULL, extract(epoch FROM due_at)::float8 * 1000, id, NULL
    FROM (SELECT *, count(*) OVER (PARTITION BY shard) AS looked_at FROM coming) c
    WHERE looked_at = ${limit} ORDER BY shard, due_at DESC, id DESC)`.values();
  const coming: ComingLane[] = [];
  const reached = new Map<number, DueCursor>();
  for (const [shard, accountId, env, ms, reachedId, lastMs] of rows) {
    if (reachedId !== null) reached.set(shard, { ms: Math.round(ms), id: reachedId });
    else coming.push({ shard, accountId, env, dueAtMs: Math.round(ms), lastDueAtMs: Math.round(lastMs) });
  }
  return { coming: coming.sort((a, b) => a.dueAtMs - b.dueAtMs), reached };
}

/**
 * The schedules of each lane that fall due behind its cursor `from` and up to its `untilMs` (inclusive), in due order
 * within each lane, at most its `limit`. Leaves out accounts that are not active. One statement, for at most 1,000
 * lanes.
 */
export async function readDueOfLanes(
  sql: Sql,
  lanes: readonly (LaneId & { from: DueCursor; untilMs: number; limit: number })[],
): Promise<DueSchedule[]> {
  // OFFSET 0 keeps account and settings out of the join with the schedules, so that they are read once per lane.
  // `status || ''` keeps the planner off the partial indexes of accounts, which do not begin with the id.
  const rows = await sql`
    SELECT s.id, s.version, s.shard, w.account_id, w.env, extract(epoch FROM s.next_attempt_at)::float8 * 1000,
      s.early_fire AND s.status = 'scheduled', s.status = 'failed', s.origin, s.sealed_bytes, true, a.plan, a.cps_limit,
      ${testPath(sql)}, (s.delivery->>'expiresAtMs')::float8
    FROM unnest(
      ${pgArray(lanes.map((lane) => lane.accountId))}::text::uuid[],
      ${pgArray(lanes.map((lane) => lane.env))}::text::text[],
      ${pgArray(lanes.map((lane) => lane.from.ms))}::text::float8[],
      ${pgArray(lanes.map((lane) => lane.from.id))}::text::uuid[],
      ${pgArray(lanes.map((lane) => lane.untilMs))}::text::float8[],
      ${pgArray(lanes.map((lane) => lane.limit))}::text::integer[]
    ) WITH ORDINALITY w(account_id, env, from_ms, from_id, until_ms, room, n)
    CROSS JOIN LATERAL (
      SELECT o.id, o.plan, ${limitOf(sql, sql`o.id`)} AS cps_limit FROM accounts o
      WHERE o.id = w.account_id AND o.status || '' = 'active' OFFSET 0) a
    CROSS JOIN LATERAL (
      SELECT d.* FROM schedules d
      WHERE d.account_id = a.id AND d.env = w.env AND d.status IN ('scheduled', 'failed')
        AND (d.next_attempt_at, d.id) > (to_timestamp(w.from_ms / 1000)::timestamptz(3), w.from_id)
        AND d.next_attempt_at <= to_timestamp(w.until_ms / 1000)
      ORDER BY d.next_attempt_at, d.id LIMIT w.room) s
    ORDER BY w.n, s.next_attempt_at, s.id`.values();
  return rows.map(dueSchedule);
}

/**
 * The positions in the list of those lanes that have more than `known` open schedules due from `fromMs` (epoch ms) up to the
 * cursor `to` (inclusive). Leaves out accounts that are not active. Counts to `known` + 1 at most.
 */
export async function findLanesWithMore(
  sql: Sql,
  lanes: readonly (LaneId & { fromMs: number; to: DueCursor; known: number })[],
): Promise<number[]> {
  const rows = await sql`
    SELECT w.n - 1
    FROM unnest(
      ${pgArray(lanes.map((lane) => lane.accountId))}::text::uuid[],
      ${pgArray(lanes.map((lane) => lane.env))}::text::text[],
      ${pgArray(lanes.map((lane) => lane.fromMs))}::text::float8[],
      ${pgArray(lanes.map((lane) => lane.to.ms))}::text::float8[],
      ${pgArray(lanes.map((lane) => lane.to.id))}::text::uuid[],
      ${pgArray(lanes.map((lane) => lane.known))}::text::integer[]
    ) WITH ORDINALITY w(account_id, env, from_ms, to_ms, to_id, known, n)
    CROSS JOIN LATERAL (
      SELECT o.id FROM accounts o WHERE o.id = w.account_id AND o.status || '' = 'active' OFFSET 0) a
    CROSS JOIN LATERAL (
      SELECT count(*) AS open FROM (
        SELECT FROM schedules d
        WHERE d.account_id = a.id AND d.env = w.env AND d.status IN ('scheduled', 'failed')
          AND d.next_attempt_at >= to_timestamp(w.from_ms / 1000)
          AND (d.next_attempt_at, d.id) <= (to_timestamp(w.to_ms / 1000)::timestamptz(3), w.to_id)
        ORDER BY d.next_attempt_at, d.id LIMIT w.known + 1) s) c
    WHERE c.open > w.known`.values();
  return rows.map((row) => Number(row[0]));
}

/**
 * Raises the entries of at most 100 idle lanes to their oldest open schedule, or to null when none is open or the
 * account is not active. Returns the lanes whose entry is now right, with it (epoch ms). It waits for nobody: lanes
 * with a firing schedule, and lanes that another transaction has locked, are left out. Ask for them again later. Claims of
 * the lanes' shards whose lease ended before `recoveredToMs` (epoch ms) are known to be recovered.
 */
export async function raiseLanes(
  sql: Sql,
  lanes: readonly LaneId[],
  recoveredToMs: number = Number.NEGATIVE_INFINITY,
): Promise<(LaneId & { dueAtMs: number | null })[]> {
  const rows = await sql`
    SELECT account_id, env, extract(epoch FROM due_at)::float8 * 1000
    FROM raise_lanes(
      ${pgArray(lanes.map((lane) => lane.accountId))}::text::uuid[],
      ${pgArray(lanes.map((lane) => lane.env))}::text::text[],
      to_timestamp(${recoveredToMs}::float8 / 1000))`.values();
  return rows.map((row) => ({
    accountId: row[0],
    env: row[1],
    dueAtMs: row[2] === null ? null : Math.round(row[2]),
  }));
}

/**
 * One step of a walk over the lanes of all active accounts, in their order: at most `limit` accounts behind `after` (null: from
 * the first). It looks at open schedules that are due from `fromMs` (epoch ms) on, enters lanes that are missing in the
 * calendar and lowers entries that are too late. Returns how many there were of each, and the lane to go on behind; null
 * at the end.
 */
export async function auditLanes(
  sql: Sql,
  after: LaneId | null,
  limit: number,
  fromMs: number = Number.NEGATIVE_INFINITY,
): Promise<{ missing: number; late: number; next: LaneId | null }> {
  const [row] = await sql<[{ missing: number; late: number; accountId: string | null; env: Environment }]>`
    SELECT missing, late, next_account AS "accountId", next_env AS env
    FROM audit_lanes(${after?.accountId ?? NO_ACCOUNT}, ${after?.env ?? ""}, ${limit}, to_timestamp(${fromMs}::float8 / 1000))`;
  const { missing, late, accountId, env } = row;
  return { missing, late, next: accountId === null ? null : { accountId, env } };
}
