import type { Db } from "#db/orm.ts";
import type { Subscription } from "#domain/subscription.ts";

/** The interface of a billing provider. Each function throws UNAVAILABLE after `BILLING_TIMEOUT_MS`. */
export type Billing = {
  /**
   * The checkout URL for the paid plan, and the account's customer id at the provider: the given one unless the provider
   * has deleted it. `attempt` is the idempotency key: a second call with the same one returns the same checkout. Throws
   * CONFLICT when the customer has a subscription whose event has not arrived yet.
   */
  checkoutUrl(account: Subscriber): Promise<{ url: string; customerId: string }>;
  /** The URL of the portal where a customer manages the subscription. */
  portalUrl(customerId: string): Promise<string>;
  /** Verifies and parses a webhook event; null when it is not about a customer. Throws VALIDATION for a bad signature. */
  parseEvent(body: Buffer, signature: string | null): BillingEvent | null;
  /** A customer's subscription as it is now; null when the provider has never had this customer. */
  readSubscription(customerId: string): Promise<Subscription | null>;
  /** Deletes a customer and so ends its subscriptions at once. Succeeds if the customer no longer exists. */
  deleteCustomer(customerId: string): Promise<void>;
};

export type Subscriber = { accountId: string; email: string; customerId: string | null; attempt: string };

/**
 * Says that something about a customer changed. The current state must be read from the provider, since events arrive
 * late, repeatedly and in any order.
 */
export type BillingEvent = { customerId: string; readSubscription(): Promise<Subscription> };

/** Timeout of each function, ms: the caller gets a response within 5 s. */
export const BILLING_TIMEOUT_MS = 3_000;

/** Runs work on the database. */
export type BillingQuery = <T>(work: (database: { db: Db }) => Promise<T>) => Promise<T>;

export type BillingLog = { warn(details: object, message: string): void };
