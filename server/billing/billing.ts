import type { Subscription } from "#domain/subscription.ts";

/** The billing provider, as the rest of the service knows it. Each verb throws UNAVAILABLE within `BILLING_MS`. */
export type Billing = {
  /**
   * Where the account subscribes to the paid plan, and who it is at the provider from now on: `customerId`, unless that
   * customer is gone there. `attempt` tells calls apart: with the same one a second call answers what the first did.
   * Throws CONFLICT when the customer has a subscription that we have not been told of yet.
   */
  checkoutUrl(account: Subscriber): Promise<{ url: string; customerId: string }>;
  /** Where a customer manages the subscription. */
  portalUrl(customerId: string): Promise<string>;
  /** What the provider tells, or null when it is nothing about a customer. Throws VALIDATION unless the provider signed it. */
  parseEvent(body: Buffer, signature: string | null): BillingEvent | null;
  /** Deletes a customer, whose subscriptions end at once; one that is gone is fine. */
  deleteCustomer(customerId: string): Promise<void>;
};

export type Subscriber = { accountId: string; email: string; customerId: string | null; attempt: string };

/**
 * That something about a customer has changed. What it is like now has to be asked: events come late, again, and in any
 * order.
 */
export type BillingEvent = { customerId: string; readSubscription(): Promise<Subscription> };

/** Time that the provider has for one verb, ms, so that a caller has an answer within 5 s. */
export const BILLING_MS = 3_000;
