import type { ScheduleStatus } from "#domain/states.ts";
import type { Sql } from "../../client.ts";
import { pgArray } from "../../pg-array.ts";
import type { Tenant } from "../accounts/tenant.ts";

/** A schedule that a recurrence has made. */
export type OccurrenceRow = {
  /** UUID of the schedule. */
  id: string;
  status: ScheduleStatus;
  /** Its instant by the rule, epoch ms. */
  occurrenceAtMs: number;
  fireAtMs: number;
  offsetMs: number | null;
};

/** The occurrences of a recurrence (UUID) that were made last, the newest first. */
export async function listOccurrences(
  sql: Sql,
  { accountId, env }: Tenant,
  recurrenceId: string,
  limit: number,
): Promise<OccurrenceRow[]> {
  return sql<OccurrenceRow[]>`
    SELECT ${columns(sql)}
    FROM schedule_requests r JOIN schedules s ON s.id = r.schedule_id
    WHERE r.account_id = ${accountId} AND r.env = ${env} AND r.recurrence_id = ${recurrenceId}
    ORDER BY r.occurrence_at DESC, r.schedule_id DESC LIMIT ${limit}`;
}

const columns = (sql: Sql) => sql`
  s.id, s.status, extract(epoch FROM r.occurrence_at)::float8 * 1000 AS "occurrenceAtMs",
  extract(epoch FROM s.fire_at)::float8 * 1000 AS "fireAtMs", s.offset_ms AS "offsetMs"`;

/** Of each of these recurrences (UUIDs) the latest occurrence whose time has come. */
export async function findLastOccurrences(
  sql: Sql,
  { accountId, env }: Tenant,
  recurrenceIds: readonly string[],
): Promise<(OccurrenceRow & { recurrenceId: string })[]> {
  return sql<(OccurrenceRow & { recurrenceId: string })[]>`
    SELECT i.id AS "recurrenceId", l.* FROM unnest(${pgArray(recurrenceIds)}::text::uuid[]) AS i(id) CROSS JOIN LATERAL (
      SELECT ${columns(sql)}
      FROM schedule_requests r JOIN schedules s ON s.id = r.schedule_id
      WHERE r.account_id = ${accountId} AND r.env = ${env} AND r.recurrence_id = i.id
        AND r.occurrence_at <= clock_timestamp()
      ORDER BY r.occurrence_at DESC, r.schedule_id DESC LIMIT 1) l`;
}

/** How many occurrences of a recurrence (UUID) would be taken back, and how many are being sent. */
export async function countOpenOccurrences(
  sql: Sql,
  { accountId, env }: Tenant,
  recurrenceId: string,
): Promise<{ open: number; inFlight: number }> {
  const [row] = await sql<{ open: number; inFlight: number }[]>`
    SELECT (count(*) FILTER (WHERE s.status <> 'firing'))::integer AS open,
      (count(*) FILTER (WHERE s.status = 'firing'))::integer AS "inFlight"
    FROM recurrences k
    JOIN schedule_requests r ON r.account_id = ${accountId} AND r.env = ${env} AND r.recurrence_id = k.id
      AND r.occurrence_at >= k.open_from
    JOIN schedules s ON s.id = r.schedule_id
    WHERE k.id = ${recurrenceId} AND s.status IN ('scheduled', 'failed', 'firing')`;
  return row ?? { open: 0, inFlight: 0 };
}
