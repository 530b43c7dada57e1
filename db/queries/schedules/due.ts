import type { PendingQuery, Row } from "postgres";
import type { Environment } from "#domain/environment.ts";
import type { PlanName } from "#domain/plans.ts";
import { byKey } from "../../by-key.ts";
import type { Sql } from "../../client.ts";
import { pgArray } from "../../pg-array.ts";

/**
 * A schedule as a dispatcher knows it before the claim: no payload, and nothing that the claim does not check again.
 */
export type DueSchedule = {
  id: string;
  version: number;
  shard: number;
  accountId: string;
  env: Environment;
  dueAtMs: number;
  /** Early firing applies to the first attempt only. */
  early: boolean;
  isRetry: boolean;
  origin: string;
  /** The path of the target without its query, in the test environment, where listeners choose by it; otherwise null. */
  path: string | null;
  bytes: number;
  accountActive: boolean;
  plan: PlanName;
  cpsLimit: number | null;
  /** No attempt begins after it, epoch ms; null where it does not expire. */
  expiresAtMs: number | null;
};

type Fragment = PendingQuery<Row[]>;

const COLUMNS = (sql: Sql, cpsLimit: Fragment) => sql`s.id, s.version, s.shard, s.account_id, s.env,
  extract(epoch FROM s.next_attempt_at)::float8 * 1000, s.early_fire AND s.status = 'scheduled', s.status = 'failed', s.origin,
  s.sealed_bytes, a.status = 'active', a.plan, ${cpsLimit}, ${testPath(sql)},
  (s.delivery->>'expiresAtMs')::float8`;

/** `path` of the schedule `s`. ORDER BY keeps the planner off the index of `schedule_requests` that ends with its key. */
export const testPath = (sql: Sql): Fragment => sql`
  CASE s.env WHEN 'test' THEN (
    SELECT substring(r.target_url FROM '^[a-z]+://[^/?#]*([^?#]*)') FROM schedule_requests r
    WHERE ${byKey(sql, "r.schedule_id", "s.id")} ORDER BY r.schedule_id LIMIT 1) END`;

/** A cursor in due order: epoch ms and id (UUID). Several schedules may be due at one instant. */
export type DueCursor = { ms: number; id: string };

export const BEFORE_ALL: DueCursor = { ms: Number.NEGATIVE_INFINITY, id: "00000000-0000-0000-0000-000000000000" };

/**
 * The cursor behind everything that is due up to `ms`. It is rounded down, because due times are whole milliseconds and
 * SQL would round it up, past schedules that are due in the next millisecond.
 */
export const after = (ms: number): DueCursor => ({ ms: Math.floor(ms), id: "ffffffff-ffff-ffff-ffff-ffffffffffff" });

/**
 * The schedules with these ids that are open and fall due up to `untilMs`. A NOTIFY has announced them. Leaves out
 * accounts that are not active.
 */
export async function readDueById(sql: Sql, ids: readonly string[], untilMs: number): Promise<DueSchedule[]> {
  const rows = await sql`
    SELECT ${COLUMNS(sql, limitOf(sql, sql`s.account_id`))}
    FROM unnest(${pgArray(ids)}::text::uuid[]) w(id)
    JOIN schedules s ON ${byKey(sql, "s.id", "w.id")}
    JOIN accounts a ON ${byKey(sql, "a.id", "s.account_id")}
    WHERE s.status || '' IN ('scheduled', 'failed') AND s.next_attempt_at <= to_timestamp(${untilMs}::float8 / 1000)
      AND a.status || '' = 'active'
    ORDER BY s.next_attempt_at, s.id`.values();
  return rows.map(dueSchedule);
}

/**
 * The rate that an account has set. It is a scalar subquery because the planner read all settings for each shard with a
 * join.
 */
export const limitOf = (sql: Sql, accountId: Fragment): Fragment =>
  sql`(SELECT r.cps_limit FROM relay_settings r WHERE r.account_id = ${accountId})`;

/** A schedule from a row of the statements above and in due-lanes.ts, which select these columns in this order. */
// biome-ignore lint/suspicious/noExplicitAny: a row as the driver gives it
export function dueSchedule(row: any): DueSchedule {
  return {
    id: row[0],
    version: Number(row[1]),
    shard: row[2],
    accountId: row[3],
    env: row[4],
    dueAtMs: Math.round(row[5]),
    early: row[6],
    isRetry: row[7],
    origin: row[8],
    bytes: row[9],
    accountActive: row[10],
    plan: row[11],
    cpsLimit: row[12],
    path: row[13],
    expiresAtMs: row[14],
  };
}
