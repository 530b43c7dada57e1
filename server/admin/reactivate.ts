import { setAccountStatus } from "#db/queries/accounts/administer.ts";
import { accountIdOrThrow, noSuchAccount } from "./account-id.ts";
import type { Admin } from "./admin.ts";

/**
 * Reactivates an account (`acc_…`): its keys are accepted again, and overdue schedules are sent, oldest first. Throws
 * NOT_FOUND. `reason` is kept in the audit log.
 */
export async function reactivateAccount(admin: Admin, accountId: string, reason?: string): Promise<void> {
  const id = accountIdOrThrow(accountId);
  const outcome = await admin.query(({ db }) => setAccountStatus(db, id, "active", admin.actor, reason));
  if (outcome === "not found") throw noSuchAccount();
}
