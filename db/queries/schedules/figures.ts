import type { Sql } from "../../client.ts";
import type { Tenant } from "../accounts/tenant.ts";
import { ownersMarks } from "../fleet/beats.ts";

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
 * no rows of the table. The few firing ones are found by their shard. Open ones are counted from where the owner of the
 * shard has some, or the account's lane, so that no rows are passed that are long dead.
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
    WITH a AS MATERIALIZED (
      SELECT a.shard, m.recovered_to, greatest(CASE WHEN a.status = 'active' THEN m.open_from ELSE '-infinity' END, (
        SELECT due_at FROM lanes WHERE ${own})) AS open_from
      FROM accounts a CROSS JOIN LATERAL ${ownersMarks(sql, "a.shard")} m WHERE a.id = ${tenant.accountId}
    )
    SELECT f.open + (
        SELECT count(*) FROM schedules
        WHERE ${own} AND status = 'firing' AND shard = a.shard AND claim_deadline >= a.recovered_to)::integer AS active,
      ${count(sql`status = 'failed' AND ${within}`)} AS failed,
      ${count(sql`status = 'dead' AND ${within}`)} AS dead,
      f.soon AS "dueSoon"
    FROM a CROSS JOIN LATERAL
      open_figures(${tenant.accountId}::uuid, ${tenant.env}, a.open_from, now() + interval '60 minutes') f`;
  return row as ScheduleFigures;
}

/** Whether an account has any schedule, whatever its status. */
export async function hasSchedules(sql: Sql, { accountId, env }: Tenant): Promise<boolean> {
  const [row] = await sql`
    SELECT EXISTS (SELECT FROM schedule_requests WHERE account_id = ${accountId} AND env = ${env}) AS "exists"`;
  return row?.exists === true;
}

type Fragment = ReturnType<Sql>;
