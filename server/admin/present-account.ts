import type { AccountRow } from "#db/queries/accounts/list.ts";
import { encodeId } from "#domain/ids.ts";
import { graceLimit, type Plans } from "#domain/plans.ts";

/** An account as administrators see it, with this month's live schedules and its quota. */
export function presentAccount(row: AccountRow, plans: Plans) {
  const limit = plans[row.plan].monthlyQuota;
  return {
    id: encodeId("acc", row.id),
    email: row.email,
    name: row.name,
    plan: row.plan,
    grantedPlan: row.grantedPlan,
    subscriptionStatus: row.subscriptionStatus,
    status: row.status,
    scheduled: row.scheduled,
    limit,
    graceLimit: graceLimit(limit),
    createdAt: row.createdAt.toISOString(),
  };
}
