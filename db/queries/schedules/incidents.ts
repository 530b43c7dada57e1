import { INCIDENT_GAP_MS, type IncidentGroup } from "#domain/incident.ts";
import type { Sql } from "../../client.ts";
import type { Tenant } from "../accounts/tenant.ts";

/** Dead ones, and as many retrying ones, that are looked at: those due last. */
const LOOKED_AT_MAX = 5_000;

/** Whether not all were looked at, so that the numbers are lower bounds; and how many groups there are in all. */
export type IncidentsRead = { groups: IncidentGroup[]; total: number; isCapped: boolean };

/**
 * The tenant's dead and retrying schedules in groups that had a last attempt within a range of time, the end not
 * included: the most dead ones first. `operationId` is a UUID.
 */
export async function readIncidents(
  sql: Sql,
  tenant: Tenant,
  { from, to }: { from: Date; to: Date },
  limit: number,
): Promise<IncidentsRead> {
  const { accountId, env } = tenant;
  const within = sql`last_attempt_at >= ${from.toISOString()}::timestamptz AND last_attempt_at < ${to.toISOString()}::timestamptz`;
  const own = (status: "dead" | "failed") => sql`account_id = ${accountId} AND env = ${env} AND status = ${status}`;
  const attempted = (status: "dead" | "failed") => sql`(
    SELECT fire_at FROM schedules WHERE ${own(status)} AND ${within}
    ORDER BY last_attempt_at DESC LIMIT ${LOOKED_AT_MAX})`;
  // A group is what a list finds by host, code and range of fire_at, so it also has those whose last attempt was at another time.
  const due = (status: "dead" | "failed") => sql`(
    SELECT id, status, fire_at, last_attempt_at, next_attempt_at, last_status_code AS code, last_error,
      split_part(origin, '/', 3) AS host
    FROM schedules WHERE ${own(status)} AND fire_at BETWEEN (SELECT first FROM attempted) AND (SELECT last FROM attempted)
    ORDER BY fire_at DESC LIMIT ${LOOKED_AT_MAX})`;
  const rows = await sql<Row[]>`
    WITH attempted AS MATERIALIZED (
      SELECT min(fire_at) AS first, max(fire_at) AS last FROM (${attempted("dead")} UNION ALL ${attempted("failed")}) a
    ), looked_at AS MATERIALIZED (
      ${due("dead")} UNION ALL ${due("failed")}
    ), copied AS MATERIALIZED (
      SELECT l.*, c.* FROM looked_at l CROSS JOIN LATERAL (
        SELECT count(*) AS copies, coalesce(bool_or(s.status = 'succeeded'), false) AS is_delivered,
          coalesce(bool_or(s.status IN ('scheduled', 'firing', 'failed')), false) AS is_open,
          max(r.operation_id::text) AS operation_id
        FROM schedule_requests r JOIN schedules s ON s.id = r.schedule_id
        WHERE l.status = 'dead' AND r.account_id = ${accountId} AND r.env = ${env} AND r.replay_of = l.id) c
    ), parted AS (
      SELECT *, fire_at - lag(fire_at) OVER same <= ${INCIDENT_GAP_MS} * interval '1 ms' AS is_next FROM copied
      WINDOW same AS (PARTITION BY host, code ORDER BY fire_at, id)
    ), numbered AS (
      SELECT *, count(*) FILTER (WHERE is_next IS NOT TRUE) OVER (PARTITION BY host, code ORDER BY fire_at, id) AS part FROM parted
    ), grouped AS (
      SELECT host, code, (array_agg(last_error ORDER BY last_attempt_at DESC) FILTER (WHERE last_error IS NOT NULL))[1] AS error,
        count(*) FILTER (WHERE status = 'dead' AND copies = 0)::integer AS dead,
        count(*) FILTER (WHERE status = 'failed')::integer AS retrying,
        count(*) FILTER (WHERE is_delivered)::integer AS delivered,
        count(*) FILTER (WHERE is_open AND NOT is_delivered)::integer AS under_way,
        min(fire_at) AS first_due, max(fire_at) AS last_due,
        min(fire_at) FILTER (WHERE status = 'dead' AND copies = 0) AS first_dead,
        max(fire_at) FILTER (WHERE status = 'dead' AND copies = 0) AS last_dead,
        min(next_attempt_at) FILTER (WHERE status = 'failed') AS next_attempt, max(operation_id) AS operation_id
      FROM numbered GROUP BY host, code, part HAVING bool_or(${within})
    )
    SELECT host, code, error, dead, retrying, delivered, under_way AS "underWay", operation_id AS "operationId",
      ${epochMs(sql, "first_due")} AS "fromMs", ${epochMs(sql, "last_due")} AS "toMs",
      ${epochMs(sql, "first_dead")} AS "deadFromMs", ${epochMs(sql, "last_dead")} AS "deadToMs",
      ${epochMs(sql, "next_attempt")} AS "nextAttemptMs",
      count(*) OVER ()::integer AS total,
      (SELECT bool_or(n >= ${LOOKED_AT_MAX}) FROM (SELECT count(*) AS n FROM looked_at GROUP BY status) l) AS "isCapped"
    FROM grouped ORDER BY dead DESC, retrying DESC, last_due DESC, host, code LIMIT ${limit}`;
  return { groups: rows.map(groupOf), total: rows[0]?.total ?? 0, isCapped: rows[0]?.isCapped ?? false };
}

type Row = Pick<
  IncidentGroup,
  "host" | "code" | "error" | "dead" | "retrying" | "delivered" | "underWay" | "operationId"
> & {
  fromMs: number;
  toMs: number;
  deadFromMs: number | null;
  deadToMs: number | null;
  nextAttemptMs: number | null;
  total: number;
  isCapped: boolean;
};

// Instants as numbers: drizzle changes how the driver reads them.
function epochMs(sql: Sql, column: string) {
  return sql`extract(epoch FROM ${sql(column)})::float8 * 1000`;
}

function groupOf({
  fromMs,
  toMs,
  deadFromMs,
  deadToMs,
  nextAttemptMs,
  total: _total,
  isCapped: _isCapped,
  ...row
}: Row) {
  const instant = (ms: number | null) => (ms === null ? null : new Date(ms));
  return {
    ...row,
    ...{ from: new Date(fromMs), to: new Date(toMs) },
    ...{ deadFrom: instant(deadFromMs), deadTo: instant(deadToMs), nextAttemptAt: instant(nextAttemptMs) },
  };
}
