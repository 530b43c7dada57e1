import { and, eq, inArray, sql } from "drizzle-orm";
import type { DbOrTx } from "../../orm.ts";
import { scheduleRequests, schedules } from "../../schema/schedules.ts";
import type { Tenant } from "../accounts/tenant.ts";
import { isOwnSchedule, type ScheduleRow, scheduleColumns } from "./find.ts";

/** Cancels a schedule that is `scheduled` or `failed`; undefined when there is no such schedule or it has another status. */
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
        isOwnSchedule(tenant, id),
        eq(scheduleRequests.scheduleId, schedules.id),
        inArray(schedules.status, ["scheduled", "failed"]),
      ),
    )
    .returning(scheduleColumns);
  return row;
}
