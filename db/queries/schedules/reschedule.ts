import { and, eq, type SQL, sql } from "drizzle-orm";
import { formatInstant } from "#domain/instant.ts";
import { NOTIFY_HORIZON_MS } from "#domain/timing.ts";
import type { DbOrTx } from "../../orm.ts";
import { scheduleRequests, schedules } from "../../schema/schedules.ts";
import type { Tenant } from "../accounts/tenant.ts";
import { isOwnSchedule, type ScheduleRow, scheduleColumns } from "./find.ts";

/**
 * Changes the instant or the early firing of a schedule while it is `scheduled`. When it is due soon, the same statement
 * notifies the dispatchers. Returns undefined, and changes nothing, when there is no such schedule, it has another
 * status, or `fireAtMs` is not in the future.
 */
export async function updateScheduled(
  db: DbOrTx,
  tenant: Tenant,
  id: string,
  change: { fireAtMs: number | undefined; earlyFire: boolean | undefined },
): Promise<ScheduleRow | undefined> {
  const fireAt = change.fireAtMs === undefined ? schedules.fireAt : asInstant(change.fireAtMs);
  const [row] = await db
    .update(schedules)
    .set({
      version: sql`${schedules.version} + 1`,
      fireAt: sql`${fireAt}`,
      nextAttemptAt: sql`${fireAt}`,
      earlyFire: change.earlyFire,
      updatedAt: sql`clock_timestamp()`,
    })
    .from(scheduleRequests)
    .where(
      and(
        isOwnSchedule(tenant, id),
        eq(scheduleRequests.scheduleId, schedules.id),
        eq(schedules.status, "scheduled"),
        change.fireAtMs === undefined ? undefined : sql`${fireAt} > clock_timestamp()`,
      ),
    )
    .returning({ ...scheduleColumns, notified: notifyWhenDueSoon });
  return row;
}

/** Whether an instant is not in the future by the database's clock. */
export async function isPast(db: DbOrTx, epochMs: number): Promise<boolean> {
  const [row] = await db.execute<{ past: boolean }>(sql`SELECT ${asInstant(epochMs)} <= clock_timestamp() AS past`);
  return row?.past === true;
}

function asInstant(epochMs: number): SQL {
  return sql`${formatInstant(epochMs)}::timestamptz`;
}

const notifyWhenDueSoon = sql`CASE
  WHEN ${schedules.nextAttemptAt} <= clock_timestamp() + ${NOTIFY_HORIZON_MS} * interval '1 millisecond'
  THEN pg_notify('stopwatch_due', due_notice(${schedules.shard}, ${schedules.id}, ${schedules.accountId}, ${schedules.env},
    ${schedules.nextAttemptAt}, 1))::text END`;
