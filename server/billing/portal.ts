import { findBilling } from "#db/queries/accounts/subscriptions.ts";
import { AppError, Unauthorized } from "#domain/errors.ts";
import type { Ctx } from "../context.ts";
import { billingOf } from "./provider.ts";

/**
 * The portal URL where the caller's account manages its subscription. Throws CONFLICT when it never had one, UNAVAILABLE
 * when billing is not configured or the provider does not respond.
 */
export async function openPortal(ctx: Ctx): Promise<{ url: string }> {
  const billing = await billingOf(ctx.config);
  const account = await ctx.query(({ db }) => findBilling(db, ctx.tenant.accountId));
  if (!account) throw new Unauthorized();
  if (account.customerId === null || account.status === "none") {
    throw new AppError("CONFLICT", "This account has no subscription yet. Start one by the checkout.");
  }
  return { url: await billing.portalUrl(account.customerId) };
}
