import { grantPlan } from "#db/queries/accounts/administer.ts";
import { AppError } from "#domain/errors.ts";
import type { PlanName } from "#domain/plans.ts";
import { accountIdOrThrow, noSuchAccount } from "./account-id.ts";
import type { Admin } from "./admin.ts";

/**
 * Sets the granted plan of an account (`acc_…`). Throws NOT_FOUND, and CONFLICT for a lower plan than the one it pays for:
 * a paid plan ends with the subscription.
 */
export async function setAccountPlan(admin: Admin, accountId: string, plan: PlanName): Promise<void> {
  const id = accountIdOrThrow(accountId);
  const outcome = await admin.query(({ db }) => grantPlan(db, id, plan, admin.actor));
  if (outcome === "not found") throw noSuchAccount();
  if (outcome === "pays") {
    throw new AppError(
      "CONFLICT",
      "This account pays for its plan. Cancel its subscription at the billing provider first.",
    );
  }
}
