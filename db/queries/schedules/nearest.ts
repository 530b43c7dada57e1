import type { ScheduleStatus } from "#domain/states.ts";
import type { Sql } from "../../client.ts";
import type { Tenant } from "../accounts/tenant.ts";
import { HELD } from "../recurrences/held.ts";

export type NearSchedule = {
  /** UUID. */
  id: string;
  status: ScheduleStatus;
  method: string;
  targetUrl: string;
  /** Epoch ms. */
  fireAtMs: number;
  firedAtMs: number | null;
  offsetMs: number | null;
  /** When the next attempt is due, epoch ms; null when none is. */
  nextAttemptAtMs: number | null;
};

/** The tenant's next due schedules, earliest first. */
export function readNextDue(sql: Sql, tenant: Tenant, limit: number): Promise<NearSchedule[]> {
  return withRequests(sql, sql`${leg(sql, tenant, "scheduled", sql`fire_at`, limit)}`, sql`fire_at, id`, limit);
}

/** The tenant's schedules that fired last, by due time, latest first. */
export function readLatestFired(sql: Sql, tenant: Tenant, limit: number): Promise<NearSchedule[]> {
  // One leg per status, because each reads the end of one range of an index.
  const legs = (["succeeded", "failed", "dead"] as const).map((status) =>
    leg(sql, tenant, status, sql`fire_at DESC`, limit),
  );
  const [first, second, third] = legs;
  return withRequests(
    sql,
    sql`${first ?? sql``} UNION ALL ${second ?? sql``} UNION ALL ${third ?? sql``}`,
    sql`fire_at DESC, id DESC`,
    limit,
  );
}

type Fragment = ReturnType<Sql>;

function leg(sql: Sql, { accountId, env }: Tenant, status: ScheduleStatus, order: Fragment, limit: number): Fragment {
  return sql`(
    SELECT id, status, fire_at, fired_at, offset_ms, next_attempt_at FROM schedules
    WHERE account_id = ${accountId} AND env = ${env} AND status = ${status} ORDER BY ${order} LIMIT ${limit})`;
}

async function withRequests(sql: Sql, rows: Fragment, order: Fragment, limit: number): Promise<NearSchedule[]> {
  // Instants as numbers: drizzle changes how the driver reads them.
  const found = await sql`
    SELECT s.id, s.status, r.method, r.target_url AS "targetUrl", extract(epoch FROM s.fire_at)::float8 * 1000 AS "fireAtMs",
      extract(epoch FROM s.fired_at)::float8 * 1000 AS "firedAtMs", s.offset_ms::float8 AS "offsetMs",
      extract(epoch FROM CASE WHEN s.next_attempt_at = ${HELD}::timestamptz THEN s.fire_at ELSE s.next_attempt_at END)::float8
        * 1000 AS "nextAttemptAtMs"
    FROM (SELECT * FROM (${rows}) legs ORDER BY ${order} LIMIT ${limit}) s
    JOIN schedule_requests r ON r.schedule_id = s.id
    ORDER BY ${order}`;
  return [...found] as NearSchedule[];
}
