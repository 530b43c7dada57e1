import { and, eq, type SQL, sql } from "drizzle-orm";
import type { FireTime } from "#domain/fire-time.ts";
import { formatInstant } from "#domain/instant.ts";
import { NOTIFY_HORIZON_MS } from "#domain/timing.ts";
import type { DbOrTx } from "../../orm.ts";
import { scheduleRequests, schedules } from "../../schema/schedules.ts";
import type { Tenant } from "../accounts/tenant.ts";
import { isOwnSchedule, type ScheduleRow, scheduleColumns } from "./find.ts";

/**
 * Changes the instant or the early firing of a schedule while it is `scheduled`. When it is due soon, the same statement
 * notifies the dispatchers. Returns undefined, and changes nothing, when there is no such schedule, it has another
 * status, or the instant of `fireTime` is not in the future, or not before the schedule expires.
 */
export async function updateScheduled(
  db: DbOrTx,
  tenant: Tenant,
  id: string,
  { fireTime, earlyFire }: { fireTime: FireTime | undefined; earlyFire: boolean | undefined },
): Promise<ScheduleRow | undefined> {
  const fireAt = fireTime && instantOf(fireTime);
  const [row] = await db
    .update(schedules)
    .set({
      version: sql`${schedules.version} + 1`,
      fireAt,
      nextAttemptAt: fireAt,
      earlyFire,
      updatedAt: sql`clock_timestamp()`,
    })
    .from(scheduleRequests)
    .where(
      and(
        isOwnSchedule(tenant, id),
        eq(scheduleRequests.scheduleId, schedules.id),
        eq(schedules.status, "scheduled"),
        fireTime && "atMs" in fireTime ? sql`${fireAt} > clock_timestamp()` : undefined,
        fireTime &&
          sql`(${schedules.delivery} IS NULL OR (expires_at(${schedules.delivery}) > ${fireAt}) IS NOT FALSE)`,
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

/**
 * Now, rounded up to whole milliseconds, as every fire_at is. statement_timestamp() is the same wherever it stands in a
 * statement.
 */
export const NOW_ROUNDED_UP = sql`date_trunc('milliseconds', statement_timestamp() + interval '999 microseconds')`;

function instantOf(fireTime: FireTime): SQL {
  if ("atMs" in fireTime) return asInstant(fireTime.atMs);
  return sql`${NOW_ROUNDED_UP} + ${fireTime.inMs}::bigint * interval '1 millisecond'`;
}

function asInstant(epochMs: number): SQL {
  return sql`${formatInstant(epochMs)}::timestamptz`;
}

/** Notifies the dispatchers of a schedule that an UPDATE has made due soon. For its RETURNING. */
export const notifyWhenDueSoon = sql`CASE
  WHEN ${schedules.nextAttemptAt} <= clock_timestamp() + ${NOTIFY_HORIZON_MS} * interval '1 millisecond'
  THEN pg_notify(due_channel(), due_notice(${schedules.shard}, ${schedules.id}, ${schedules.accountId}, ${schedules.env},
    ${schedules.nextAttemptAt}, 1))::text END`;
