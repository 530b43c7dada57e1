import { findBilling } from "#db/queries/accounts/subscriptions.ts";
import { AppError } from "#domain/errors.ts";
import { unauthorized } from "../auth/authenticate.ts";
import type { Ctx } from "../context.ts";
import { billingOf } from "./provider.ts";

/**
 * Where the caller's account manages its subscription. Throws CONFLICT when it never had one, UNAVAILABLE when billing is
 * not configured or does not answer.
 */
export async function openPortal(ctx: Ctx): Promise<{ url: string }> {
  const billing = await billingOf(ctx.config);
  const known = await ctx.query(({ db }) => findBilling(db, ctx.tenant.accountId));
  if (!known) throw unauthorized();
  if (known.customerId === null || known.status === "none") {
    throw new AppError("CONFLICT", "This account has no subscription yet: the checkout is where one begins.");
  }
  return { url: await billing.portalUrl(known.customerId) };
}
