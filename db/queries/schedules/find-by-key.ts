import { and, eq } from "drizzle-orm";
import type { ScheduleStatus } from "#domain/states.ts";
import type { DbOrTx } from "../../orm.ts";
import { scheduleRequests, schedules } from "../../schema/index.ts";
import type { Tenant } from "../accounts/tenant.ts";

/** The schedule (UUID) that an idempotency key belongs to, and its status; undefined when there is none. */
export async function findScheduleByKey(
  db: DbOrTx,
  tenant: Tenant,
  idempotencyKey: string,
): Promise<{ id: string; status: ScheduleStatus } | undefined> {
  const [row] = await db
    .select({ id: schedules.id, status: schedules.status })
    .from(scheduleRequests)
    .innerJoin(schedules, eq(schedules.id, scheduleRequests.scheduleId))
    .where(
      and(
        eq(scheduleRequests.accountId, tenant.accountId),
        eq(scheduleRequests.env, tenant.env),
        eq(scheduleRequests.idempotencyKey, idempotencyKey),
      ),
    )
    .limit(1);
  return row;
}
