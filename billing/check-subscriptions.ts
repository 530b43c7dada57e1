import { checkSubscriptionIn, storeSubscription, takeSubscriptionToCheck } from "#db/queries/accounts/subscriptions.ts";
import type { Billing, BillingLog, BillingQuery } from "./billing.ts";

/** Subscriptions checked in one call. */
const CHECKED_MAX = 20;
/** Time from a failed check to the next one, s. */
const AGAIN_S = 600;

/**
 * Reads the subscriptions whose check is due from the billing provider and stores them, in case an event was lost.
 * Checks at most 20, and stops after one that failed. When the provider has no such customer, the stored subscription
 * stays: the key probably belongs to another account at the provider. `onFailed` is called with the error of a check that
 * failed. Safe to run in several processes at once. Returns the number of subscriptions read.
 */
export async function checkSubscriptions(
  billing: Billing,
  query: BillingQuery,
  log: BillingLog,
  onFailed: (customerId: string, error: unknown) => void = () => {},
): Promise<number> {
  for (let read = 0; read < CHECKED_MAX; read++) {
    const due = await query(({ db }) => takeSubscriptionToCheck(db));
    if (due === undefined) return read;
    const { accountId, customerId } = due;
    const subscription = await billing.readSubscription(customerId).catch((error) => {
      onFailed(customerId, error);
      return "failed" as const;
    });
    if (subscription === "failed") {
      await query(({ db }) => checkSubscriptionIn(db, accountId, AGAIN_S));
      return read;
    }
    if (subscription === null) log.warn({ customerId }, "the billing provider does not know this customer");
    else await query(({ db }) => storeSubscription(db, due, subscription));
  }
  return CHECKED_MAX;
}
