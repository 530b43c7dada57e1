import { checkSubscriptionIn, findBilling, saveCustomer } from "#db/queries/accounts/subscriptions.ts";
import { AppError, Unauthorized } from "#domain/errors.ts";
import { PAID_PLAN } from "#domain/subscription.ts";
import type { Ctx } from "../context.ts";
import { billingOf } from "./provider.ts";

/** Requests within this time share one checkout, ms. */
const CHECKOUT_REUSE_MS = 60_000;
/** A subscription is read this long after its checkout began, in case the event of the payment was lost, s. */
const CHECK_AFTER_S = 600;

/**
 * The checkout URL where the caller's account subscribes to the paid plan. Throws CONFLICT when it has the plan or a
 * subscription, UNAVAILABLE when billing is not configured or the provider does not respond.
 */
export async function startCheckout(ctx: Ctx): Promise<{ url: string }> {
  const billing = await billingOf(ctx.config);
  const { accountId } = ctx.tenant;
  const account = await ctx.query(({ db }) => findBilling(db, accountId));
  if (!account) throw new Unauthorized();
  assertMaySubscribe(account);

  const attempt = `${accountId} ${account.version} ${Math.floor(Date.now() / CHECKOUT_REUSE_MS)}`;
  const { url, customerId } = await billing.checkoutUrl({ ...account, accountId, attempt });
  // Save the customer before returning the URL: a payment's event must find its account.
  if (customerId !== account.customerId) {
    const outcome = await ctx.query(({ db }) =>
      saveCustomer(db, accountId, { customerId, account: account.customerId }),
    );
    if (outcome === "inactive") throw new Unauthorized();
    if (outcome === "another")
      throw new AppError("CONFLICT", "Another checkout for this account has just started. Try again.");
  }
  await ctx.query(({ db }) => checkSubscriptionIn(db, accountId, CHECK_AFTER_S));
  return { url };
}

function assertMaySubscribe({ plan, status, paying }: { plan: string; status: string; paying: boolean }): void {
  if (status === "active" || status === "past_due" || paying) {
    throw new AppError("CONFLICT", "This account already has a subscription. Change it in the billing portal.");
  }
  if (plan === PAID_PLAN)
    throw new AppError("CONFLICT", "The operator has already granted this account the paid plan.");
}
