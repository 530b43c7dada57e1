import { finishCustomerDeletion, takeCustomerDeletion } from "#db/queries/accounts/customer-deletions.ts";
import type { Query } from "../context.ts";
import type { Billing } from "./billing.ts";

/**
 * Deletes the customers of deleted accounts at the billing provider, which ends their subscriptions: those that are due,
 * each tried once. One that fails is due again later, and so is one whose process died. Several processes may do this at
 * once. Returns how many were deleted.
 */
export async function deleteQueuedCustomers(billing: Billing, query: Query): Promise<number> {
  let deleted = 0;
  for (;;) {
    const taken = await query(({ db }) => takeCustomerDeletion(db));
    if (taken === undefined) return deleted;
    const isDeleted = await billing.deleteCustomer(taken.customerId).then(
      () => true,
      () => false,
    );
    if (!isDeleted) continue;
    await query(({ db }) => finishCustomerDeletion(db, taken.customerId));
    deleted++;
  }
}
