import { findBilling, saveCustomer } from "#db/queries/accounts/subscriptions.ts";
import { AppError } from "#domain/errors.ts";
import { PAID_PLAN } from "#domain/subscription.ts";
import { unauthorized } from "../auth/authenticate.ts";
import type { Ctx } from "../context.ts";
import { billingOf } from "./provider.ts";

/** Calls within this time are answered with one checkout, ms. */
const SAME_CALL_MS = 60_000;

/**
 * Where the caller's account can subscribe to the paid plan. Throws CONFLICT when it has that plan or a subscription,
 * UNAVAILABLE when billing is not configured or does not answer.
 */
export async function startCheckout(ctx: Ctx): Promise<{ url: string }> {
  const billing = await billingOf(ctx.config);
  const { accountId } = ctx.tenant;
  const known = await ctx.query(({ db }) => findBilling(db, accountId));
  if (!known) throw unauthorized();
  assertMaySubscribe(known);

  const attempt = `${accountId} ${known.version} ${Math.floor(Date.now() / SAME_CALL_MS)}`;
  const { url, customerId } = await billing.checkoutUrl({ ...known, accountId, attempt });
  // Before the caller has the address: what is paid there must find its account.
  if (customerId !== known.customerId) {
    const outcome = await ctx.query(({ db }) => saveCustomer(db, accountId, { customerId, known: known.customerId }));
    if (outcome === "inactive") throw unauthorized();
    if (outcome === "another")
      throw new AppError("CONFLICT", "Another checkout of this account was just begun. Try again.");
  }
  return { url };
}

function assertMaySubscribe({ plan, status, paying }: { plan: string; status: string; paying: boolean }): void {
  if (status === "active" || status === "past_due" || paying) {
    throw new AppError(
      "CONFLICT",
      "This account has a subscription already: the billing portal is where it is changed.",
    );
  }
  if (plan === PAID_PLAN) throw new AppError("CONFLICT", "The operator has given this account the paid plan already.");
}
