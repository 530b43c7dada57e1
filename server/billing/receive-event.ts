import { findCustomer, storeSubscription } from "#db/queries/accounts/subscriptions.ts";
import type { Query } from "../context.ts";
import type { Billing } from "./billing.ts";

/**
 * Applies what the billing provider told: reads how the customer's subscription stands now, and stores that. So an event
 * may come twice, late or in any order. Throws VALIDATION when the provider did not sign it, and UNAVAILABLE when it has
 * to be sent again.
 */
export async function receiveEvent(
  billing: Billing,
  query: Query,
  { body, signature }: { body: Buffer; signature: string | null },
): Promise<void> {
  const event = billing.parseEvent(body, signature);
  if (event === null) return;
  // Who fails a second time need not go on: whoever was quicker then has read at the provider after our first try, and so
  // knows what we were told.
  for (let tries = 0; tries < 2; tries++) {
    const customer = await query(({ db }) => findCustomer(db, event.customerId));
    if (customer === undefined) return;
    const subscription = await event.readSubscription();
    if (await query(({ db }) => storeSubscription(db, customer, subscription))) return;
  }
}
