import { finishCustomerDeletion, takeCustomerDeletion } from "#db/queries/accounts/customer-deletions.ts";
import type { Query } from "../context.ts";
import type { Billing } from "./billing.ts";

/**
 * Deletes the customers of deleted accounts at the billing provider, which ends their subscriptions. Tries each due
 * deletion once; one that fails, or whose process dies, becomes due again later. Safe to run in several processes at once.
 * Returns the number of customers deleted.
 */
export async function deleteQueuedCustomers(billing: Billing, query: Query): Promise<number> {
  let deleted = 0;
  for (;;) {
    const deletion = await query(({ db }) => takeCustomerDeletion(db));
    if (deletion === undefined) return deleted;
    const isDeleted = await billing.deleteCustomer(deletion.customerId).then(
      () => true,
      () => false,
    );
    if (!isDeleted) continue;
    await query(({ db }) => finishCustomerDeletion(db, deletion.customerId));
    deleted++;
  }
}
