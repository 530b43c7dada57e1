import type { PendingQuery, Row } from "postgres";
import type { Environment } from "#domain/environment.ts";
import type { PlanName } from "#domain/plans.ts";
import type { Sql } from "../../client.ts";
import { pgArray } from "../pg-array.ts";

/** What prefetch remembers of a schedule: no payload, nothing that a claim would not check again. */
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
  bytes: number;
  accountActive: boolean;
  plan: PlanName;
  cpsLimit: number | null;
};

type Fragment = PendingQuery<Row[]>;

const COLUMNS = (sql: Sql, cpsLimit: Fragment) => sql`s.id, s.version, s.shard, s.account_id, s.env,
  extract(epoch FROM s.next_attempt_at)::float8 * 1000, s.early_fire AND s.status = 'scheduled', s.status = 'failed', s.origin,
  s.sealed_bytes, a.status = 'active', a.plan, ${cpsLimit}`;

/** A place in due order: epoch ms and id (UUID). Many may be due at one instant. */
export type DuePlace = { ms: number; id: string };

export const BEFORE_ALL: DuePlace = { ms: Number.NEGATIVE_INFINITY, id: "00000000-0000-0000-0000-000000000000" };

/**
 * The place behind everything that is due up to `ms`. Schedules are due at whole milliseconds, and SQL rounds a place to
 * one: rounded up, it would pass what is due in the millisecond that is still to come.
 */
export const after = (ms: number): DuePlace => ({ ms: Math.floor(ms), id: "ffffffff-ffff-ffff-ffff-ffffffffffff" });

/**
 * The named schedules, if they still wait and fall due up to `untilMs`: what a NOTIFY announced. Nothing of accounts that
 * are not active.
 */
export async function readDueById(sql: Sql, ids: readonly string[], untilMs: number): Promise<DueSchedule[]> {
  const rows = await sql`
    SELECT ${COLUMNS(sql, limitOf(sql, sql`s.account_id`))}
    FROM unnest(${pgArray(ids)}::text::uuid[]) w(id)
    JOIN schedules s ON s.id = w.id
    JOIN accounts a ON a.id = s.account_id
    WHERE s.status || '' IN ('scheduled', 'failed') AND s.next_attempt_at <= to_timestamp(${untilMs}::float8 / 1000)
      AND a.status || '' = 'active'
    ORDER BY s.next_attempt_at, s.id`.values();
  return rows.map(dueSchedule);
}

/** The rate that an account has set. A scalar subquery, since a join was made to read all settings for each shard. */
export const limitOf = (sql: Sql, accountId: Fragment): Fragment =>
  sql`(SELECT r.cps_limit FROM relay_settings r WHERE r.account_id = ${accountId})`;

/** A schedule from what the statements of this kind select, in their order. */
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
  };
}
