import { and, eq } from "drizzle-orm";
import type { DbOrTx } from "../../orm.ts";
import { scheduleRequests } from "../../schema/index.ts";
import type { Tenant } from "../accounts/tenant.ts";

/** The schedule (UUID) that an idempotency key belongs to; undefined when there is none. */
export async function findScheduleByKey(
  db: DbOrTx,
  tenant: Tenant,
  idempotencyKey: string,
): Promise<string | undefined> {
  const [row] = await db
    .select({ id: scheduleRequests.scheduleId })
    .from(scheduleRequests)
    .where(
      and(
        eq(scheduleRequests.accountId, tenant.accountId),
        eq(scheduleRequests.env, tenant.env),
        eq(scheduleRequests.idempotencyKey, idempotencyKey),
      ),
    )
    .limit(1);
  return row?.id;
}
