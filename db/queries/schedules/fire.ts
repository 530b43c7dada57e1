import { and, eq, gt, inArray, sql } from "drizzle-orm";
import type { DbOrTx } from "../../orm.ts";
import { scheduleRequests, schedules } from "../../schema/schedules.ts";
import type { Tenant } from "../accounts/tenant.ts";
import { isOwnSchedule, type ScheduleRow, scheduleColumns } from "./find.ts";
import { NOW_ROUNDED_UP as NOW, notifyWhenDueSoon } from "./reschedule.ts";

/**
 * Makes the next attempt of a schedule due now: moves one that is `scheduled` there, and leaves `fireAt` of one that is
 * `failed`. The same statement notifies the dispatchers, and remembers the move for the figures of punctuality. Returns
 * undefined, and changes nothing, when there is no such schedule, it has another status, or its next attempt is due already:
 * to move that would put it behind others of its lane, and an outcome that replaces an interruption expects its version.
 */
export async function makeDue(db: DbOrTx, tenant: Tenant, id: string): Promise<ScheduleRow | undefined> {
  const [row] = await db
    .update(schedules)
    .set({
      version: sql`${schedules.version} + 1`,
      fireAt: sql`CASE WHEN ${schedules.status} = 'scheduled' THEN ${NOW} ELSE ${schedules.fireAt} END`,
      nextAttemptAt: NOW,
      movedToNowAt: NOW,
      updatedAt: sql`clock_timestamp()`,
    })
    .from(scheduleRequests)
    .where(
      and(
        isOwnSchedule(tenant, id),
        eq(scheduleRequests.scheduleId, schedules.id),
        inArray(schedules.status, ["scheduled", "failed"]),
        gt(schedules.nextAttemptAt, NOW),
      ),
    )
    .returning({ ...scheduleColumns, notified: notifyWhenDueSoon });
  return row;
}
