import { findActiveAccount, type ProfileRow } from "#db/queries/accounts/profile.ts";
import { Unauthorized } from "#domain/errors.ts";
import type { Ctx } from "../context.ts";

/** The profile of the caller's account. Throws UNAUTHORIZED when it was deactivated or deleted in the meantime. */
export async function readOwnProfile(ctx: Ctx): Promise<ProfileRow> {
  const row = await ctx.query(({ db }) => findActiveAccount(db, ctx.tenant.accountId));
  if (!row) throw new Unauthorized();
  return row;
}
