import { setAccountStatus } from "#db/queries/accounts/administer.ts";
import { AppError } from "#domain/errors.ts";
import { accountIdOrThrow, noSuchAccount } from "./account-id.ts";
import type { Admin } from "./admin.ts";

/**
 * Deactivates an account (`acc_…`): its sessions end, its keys are rejected, its schedules wait. Throws NOT_FOUND, and
 * CONFLICT for the administrator's own account. `reason` is kept in the audit log.
 */
export async function deactivateAccount(admin: Admin, accountId: string, reason?: string): Promise<void> {
  const id = accountIdOrThrow(accountId);
  if (id === admin.actor.accountId) throw new AppError("CONFLICT", "You cannot deactivate your own account.");
  const outcome = await admin.query(({ db }) => setAccountStatus(db, id, "deactivated", admin.actor, reason));
  if (outcome === "not found") throw noSuchAccount();
}
