import type { CopyCounts } from "#domain/copies-of-operation.ts";
import { type ScheduleStatus, STATUSES } from "#domain/states.ts";
import type { Sql } from "../../client.ts";
import type { Tenant } from "../accounts/tenant.ts";

const COUNTED_MAX = 10_000;

/** How many copies that an operation (UUID) made have each status, counted up to 10,000. */
export async function countCopies(sql: Sql, { accountId, env }: Tenant, id: string): Promise<CopyCounts> {
  // Ordered by the index, so that the planner does not read the whole table when it expects many.
  const rows = await sql<{ status: ScheduleStatus; n: number }[]>`
    WITH copies AS MATERIALIZED (
      SELECT schedule_id AS id FROM schedule_requests
      WHERE account_id = ${accountId} AND env = ${env} AND operation_id = ${id}
      ORDER BY created_at, schedule_id LIMIT ${COUNTED_MAX + 1})
    SELECT s.status, count(*)::integer AS n FROM copies c JOIN schedules s ON s.id = c.id GROUP BY s.status`;
  const byStatus = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<ScheduleStatus, number>;
  for (const { status, n } of rows) byStatus[status] = n;
  return { byStatus, isCapped: rows.reduce((sum, { n }) => sum + n, 0) > COUNTED_MAX };
}
