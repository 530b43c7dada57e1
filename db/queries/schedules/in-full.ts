import { and, eq } from "drizzle-orm";
import type { DbOrTx } from "../../orm.ts";
import { apiKeys } from "../../schema/index.ts";
import { scheduleRequests, schedules } from "../../schema/schedules.ts";
import { apiKeyColumns } from "../accounts/api-keys.ts";
import type { Tenant } from "../accounts/tenant.ts";
import { type ScheduleRow, scheduleColumns } from "./find.ts";

const fullColumns = {
  ...scheduleColumns,
  failures: schedules.failures,
  sealedBytes: schedules.sealedBytes,
  endedAt: schedules.endedAt,
  idempotencyKey: scheduleRequests.idempotencyKey,
  erasedAt: scheduleRequests.erasedAt,
  createdBy: scheduleRequests.createdBy,
};

export type FullScheduleRow = ScheduleRow &
  Pick<
    typeof schedules.$inferSelect & typeof scheduleRequests.$inferSelect,
    Exclude<keyof typeof fullColumns, keyof ScheduleRow>
  > & {
    /** The API key that created it, unless it was deleted. */
    creatingKey: { name: string; last4: string; revokedAt: Date | null } | null;
  };

/**
 * All columns that the page of a schedule (UUID) shows; undefined when it belongs to another account or environment.
 */
export async function findScheduleInFull(db: DbOrTx, tenant: Tenant, id: string): Promise<FullScheduleRow | undefined> {
  const [row] = await db
    .select({
      ...fullColumns,
      creatingKey: { name: apiKeys.name, last4: apiKeys.last4, revokedAt: apiKeyColumns.revokedAt },
    })
    .from(schedules)
    .innerJoin(scheduleRequests, eq(scheduleRequests.scheduleId, schedules.id))
    .leftJoin(apiKeys, and(eq(apiKeys.id, scheduleRequests.createdBy), eq(apiKeys.accountId, tenant.accountId)))
    .where(and(eq(schedules.id, id), eq(schedules.accountId, tenant.accountId), eq(schedules.env, tenant.env)))
    .limit(1);
  return row;
}
