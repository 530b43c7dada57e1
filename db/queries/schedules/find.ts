import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { DbOrTx } from "../../orm.ts";
import { scheduleRequests, schedules } from "../../schema/schedules.ts";
import type { Tenant } from "../accounts/tenant.ts";
import { HELD } from "../recurrences/held.ts";

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
  nextAttemptAt: sql<Date | null>`CASE WHEN ${schedules.nextAttemptAt} = ${HELD}::timestamptz THEN ${schedules.fireAt}
    ELSE ${schedules.nextAttemptAt} END`.mapWith(schedules.nextAttemptAt),
  replayOf: scheduleRequests.replayOf,
  operationId: scheduleRequests.operationId,
  occurrenceAt: scheduleRequests.occurrenceAt,
  recurrence: sql<string | null>`(SELECT o.key FROM recurrences o WHERE o.id = ${scheduleRequests.recurrenceId})`,
  claimDeadline: schedules.claimDeadline,
  movedToNowAt: schedules.movedToNowAt,
  lastStatusCode: schedules.lastStatusCode,
  lastError: schedules.lastError,
  delivery: schedules.delivery,
  endReason: schedules.endReason,
};

export type ScheduleRow = Pick<
  typeof schedules.$inferSelect & typeof scheduleRequests.$inferSelect,
  Exclude<keyof typeof scheduleColumns, "recurrence">
> & {
  /** The key of the recurrence that it is an occurrence of, unless that was deleted. */
  recurrence: string | null;
};

/** One schedule by its UUID; undefined when it belongs to another account or environment. */
export async function findSchedule(db: DbOrTx, tenant: Tenant, id: string): Promise<ScheduleRow | undefined> {
  const [row] = await db
    .select(scheduleColumns)
    .from(schedules)
    .innerJoin(scheduleRequests, eq(scheduleRequests.scheduleId, schedules.id))
    .where(isOwnSchedule(tenant, id))
    .limit(1);
  return row;
}

/** Those of the schedules `ids` (UUIDs) that belong to the account and environment, in no order. */
export async function findSchedules(db: DbOrTx, tenant: Tenant, ids: string[]): Promise<ScheduleRow[]> {
  return db
    .select(scheduleColumns)
    .from(schedules)
    .innerJoin(scheduleRequests, eq(scheduleRequests.scheduleId, schedules.id))
    .where(and(inArray(schedules.id, ids), eq(schedules.accountId, tenant.accountId), eq(schedules.env, tenant.env)));
}

/** The condition of every statement on one schedule: its id (UUID), and whose it is. */
export function isOwnSchedule(tenant: Tenant, id: string): SQL | undefined {
  return and(eq(schedules.id, id), eq(schedules.accountId, tenant.accountId), eq(schedules.env, tenant.env));
}
