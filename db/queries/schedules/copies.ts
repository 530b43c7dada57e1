import type { ScheduleStatus } from "#domain/states.ts";
import type { Sql } from "../../client.ts";
import type { Tenant } from "../accounts/tenant.ts";

export type Copies = {
  /** The newest five, newest first. `id` is a UUID. */
  newest: { id: string; status: ScheduleStatus }[];
  count: number;
  /** More than `count` exist. */
  isCapped: boolean;
};

const NEWEST = 5;
const COUNTED_MAX = 1_000;

/** The copies of a schedule (UUID), made by replay or clone: the newest five, and how many, counted up to 1,000. */
export async function readCopies(sql: Sql, { accountId, env }: Tenant, id: string): Promise<Copies> {
  // The count is ordered too: without the order the planner reads the whole table when it expects many copies.
  const [row] = await sql`
    WITH copies AS MATERIALIZED (
      SELECT schedule_id AS id FROM schedule_requests
      WHERE account_id = ${accountId} AND env = ${env} AND replay_of = ${id}
      ORDER BY schedule_id DESC LIMIT ${COUNTED_MAX + 1})
    SELECT (SELECT count(*)::integer FROM copies) AS n,
      (SELECT coalesce(json_agg(json_build_object('id', s.id, 'status', s.status) ORDER BY s.id DESC), '[]')
        FROM (SELECT id FROM copies LIMIT ${NEWEST}) c JOIN schedules s ON s.id = c.id) AS newest`;
  const { n, newest } = row as { n: number; newest: Copies["newest"] };
  return { newest, count: Math.min(n, COUNTED_MAX), isCapped: n > COUNTED_MAX };
}
