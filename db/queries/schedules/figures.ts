import type { Sql } from "../../client.ts";
import type { Tenant } from "../accounts/tenant.ts";

/** How many schedules of a tenant are in some state. */
export type ScheduleFigures = {
  /** `scheduled`, `firing` or `failed`. */
  active: number;
  /** `failed`, with a last attempt in the period. */
  failed: number;
  /** `dead`, with a last attempt in the period. */
  dead: number;
  /** `scheduled` for the next hour. */
  dueSoon: number;
};

/**
 * Counts a tenant's schedules; the period is from `since` on, and before `until` if it is given. Each count reads one index and
 * no rows of the table. The few firing ones are found by their shard.
 */
export async function readScheduleFigures(
  sql: Sql,
  tenant: Tenant,
  since: Date,
  until?: Date,
): Promise<ScheduleFigures> {
  const own = sql`account_id = ${tenant.accountId} AND env = ${tenant.env}`;
  const count = (condition: Fragment) => sql`(SELECT count(*) FROM schedules WHERE ${own} AND ${condition})::integer`;
  const ended = until ? sql`AND last_attempt_at < ${until.toISOString()}::timestamptz` : sql``;
  const within = sql`last_attempt_at >= ${since.toISOString()}::timestamptz ${ended}`;
  const [row] = await sql`
    SELECT
      ${count(sql`status IN ('scheduled', 'failed')`)}
        + ${count(sql`status = 'firing' AND shard = (SELECT shard FROM accounts WHERE id = ${tenant.accountId})`)} AS active,
      ${count(sql`status = 'failed' AND ${within}`)} AS failed,
      ${count(sql`status = 'dead' AND ${within}`)} AS dead,
      ${count(sql`status = 'scheduled' AND fire_at <= now() + interval '60 minutes'`)} AS "dueSoon"`;
  return row as ScheduleFigures;
}

/** Whether an account has any schedule, whatever its status. */
export async function hasSchedules(sql: Sql, { accountId, env }: Tenant): Promise<boolean> {
  const [row] = await sql`
    SELECT EXISTS (SELECT FROM schedule_requests WHERE account_id = ${accountId} AND env = ${env}) AS "exists"`;
  return row?.exists === true;
}

type Fragment = ReturnType<Sql>;
