import { and, eq } from "drizzle-orm";
import type { DbOrTx } from "../../orm.ts";
import { scheduleRequests, schedules } from "../../schema/index.ts";
import type { Tenant } from "../accounts/tenant.ts";
import { type ScheduleRow, scheduleColumns } from "./find.ts";

/** The schedule that an idempotency key belongs to; undefined when there is none. */
export async function findScheduleByKey(
  db: DbOrTx,
  tenant: Tenant,
  idempotencyKey: string,
): Promise<ScheduleRow | undefined> {
  const [row] = await db
    .select(scheduleColumns)
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
