import type { Billing } from "#billing/billing.ts";
import { findCustomer, storeSubscription } from "#db/queries/accounts/subscriptions.ts";
import type { Query } from "../context.ts";

/**
 * Handles a webhook event: reads the customer's subscription from the provider and stores it, so that events may arrive
 * twice, late or in any order. Throws VALIDATION when the signature is wrong, UNAVAILABLE when the provider should send
 * the event again.
 */
export async function receiveEvent(
  billing: Billing,
  query: Query,
  { body, signature }: { body: Buffer; signature: string | null },
): Promise<void> {
  const event = billing.parseEvent(body, signature);
  if (event === null) return;
  // Two tries suffice. If both lose the race, another process read from the provider after our first try, so what it
  // stored includes this event.
  for (let tries = 0; tries < 2; tries++) {
    const customer = await query(({ db }) => findCustomer(db, event.customerId));
    if (customer === undefined) return;
    const subscription = await event.readSubscription();
    if (await query(({ db }) => storeSubscription(db, customer, subscription))) return;
  }
}
