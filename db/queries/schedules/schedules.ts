import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { formatInstant } from "#domain/instant.ts";
import { NOTIFY_HORIZON_MS } from "#domain/timing.ts";
import type { DbOrTx } from "../../orm.ts";
import { scheduleRequests, schedules } from "../../schema/schedules.ts";
import type { Tenant } from "../accounts/tenant.ts";

/** What every read of a schedule selects. */
export const scheduleColumns = {
  id: schedules.id,
  targetUrl: scheduleRequests.targetUrl,
  method: scheduleRequests.method,
  status: schedules.status,
  fireAt: schedules.fireAt,
  firedAt: schedules.firedAt,
  offsetMs: schedules.offsetMs,
  earlyFire: schedules.earlyFire,
  attempts: schedules.attempts,
  payloadSizeBytes: schedules.payloadSizeBytes,
  createdAt: schedules.createdAt,
  updatedAt: schedules.updatedAt,
  nextAttemptAt: schedules.nextAttemptAt,
  replayOf: scheduleRequests.replayOf,
  claimDeadline: schedules.claimDeadline,
};

export type ScheduleRow = Pick<
  typeof schedules.$inferSelect & typeof scheduleRequests.$inferSelect,
  keyof typeof scheduleColumns
>;

/** One schedule by its UUID, unless it is another account's or another environment's. */
export async function findSchedule(db: DbOrTx, tenant: Tenant, id: string): Promise<ScheduleRow | undefined> {
  const [row] = await db
    .select(scheduleColumns)
    .from(schedules)
    .innerJoin(scheduleRequests, eq(scheduleRequests.scheduleId, schedules.id))
    .where(isOwn(tenant, id))
    .limit(1);
  return row;
}

/**
 * Moves a schedule while it is `scheduled`, and tells the dispatchers in the same statement when it is due soon. Nothing
 * is changed, and undefined returned, when it is not there, not `scheduled`, or `fireAtMs` is not in the future.
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
        isOwn(tenant, id),
        eq(scheduleRequests.scheduleId, schedules.id),
        eq(schedules.status, "scheduled"),
        change.fireAtMs === undefined ? undefined : sql`${fireAt} > clock_timestamp()`,
      ),
    )
    .returning({ ...scheduleColumns, notified: notifyWhenDueSoon });
  return row;
}

/** Cancels a schedule while it is `scheduled` or `failed`; undefined when it is not there or in another status. */
export async function cancelOpenSchedule(db: DbOrTx, tenant: Tenant, id: string): Promise<ScheduleRow | undefined> {
  const [row] = await db
    .update(schedules)
    .set({
      status: "cancelled",
      version: sql`${schedules.version} + 1`,
      nextAttemptAt: null,
      endedAt: sql`clock_timestamp()`,
      updatedAt: sql`clock_timestamp()`,
    })
    .from(scheduleRequests)
    .where(
      and(
        isOwn(tenant, id),
        eq(scheduleRequests.scheduleId, schedules.id),
        inArray(schedules.status, ["scheduled", "failed"]),
      ),
    )
    .returning(scheduleColumns);
  return row;
}

/** Whether an instant is not in the future by the database's clock. */
export async function isPast(db: DbOrTx, epochMs: number): Promise<boolean> {
  const [row] = await db.execute<{ past: boolean }>(sql`SELECT ${asInstant(epochMs)} <= clock_timestamp() AS past`);
  return row?.past === true;
}

function isOwn(tenant: Tenant, id: string): SQL | undefined {
  return and(eq(schedules.id, id), eq(schedules.accountId, tenant.accountId), eq(schedules.env, tenant.env));
}

function asInstant(epochMs: number): SQL {
  return sql`${formatInstant(epochMs)}::timestamptz`;
}

const notifyWhenDueSoon = sql`CASE
  WHEN ${schedules.nextAttemptAt} <= clock_timestamp() + ${NOTIFY_HORIZON_MS} * interval '1 millisecond'
  THEN pg_notify('stopwatch_due', due_notice(${schedules.shard}, ${schedules.id}, ${schedules.accountId}, ${schedules.env},
    ${schedules.nextAttemptAt}, 1))::text END`;
