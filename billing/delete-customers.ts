import { finishCustomerDeletion, takeCustomerDeletion } from "#db/queries/accounts/customer-deletions.ts";
import type { Billing, BillingQuery } from "./billing.ts";

/**
 * Deletes the customers of deleted accounts at the billing provider, which ends their subscriptions. Tries each due
 * deletion once; one that fails, or whose process dies, becomes due again later. `onFailed` is called with the error of each
 * that failed. Safe to run in several processes at once. Returns the number of customers deleted.
 */
export async function deleteQueuedCustomers(
  billing: Billing,
  query: BillingQuery,
  onFailed: (customerId: string, error: unknown) => void = () => {},
): Promise<number> {
  let deleted = 0;
  for (;;) {
    const deletion = await query(({ db }) => takeCustomerDeletion(db));
    if (deletion === undefined) return deleted;
    const { customerId } = deletion;
    const isDeleted = await billing.deleteCustomer(customerId).then(
      () => true,
      (error) => {
        onFailed(customerId, error);
        return false;
      },
    );
    if (!isDeleted) continue;
    await query(({ db }) => finishCustomerDeletion(db, customerId));
    deleted++;
  }
}
