import type { ProfileInput } from "#contract/inputs/profile-input.ts";
import { type ProfileRow, updateActiveAccount } from "#db/queries/accounts/profile.ts";
import { Unauthorized } from "#domain/errors.ts";
import type { Ctx } from "../context.ts";

/** Updates the caller's profile. Throws UNAUTHORIZED when the account was deactivated or deleted in the meantime. */
export async function updateOwnProfile(ctx: Ctx, input: ProfileInput): Promise<ProfileRow> {
  const row = await ctx.query(({ db }) => updateActiveAccount(db, ctx.tenant.accountId, input));
  if (!row) throw new Unauthorized();
  return row;
}
