import { type ProfileRow, updateActiveAccount } from "#db/queries/accounts/profile.ts";
import { unauthorized } from "../auth/authenticate.ts";
import type { Ctx } from "../context.ts";
import type { ProfileInput } from "./profile-input.ts";

/** Changes name or notices of the caller's account. Throws UNAUTHORIZED when it was deactivated or deleted meanwhile. */
export async function updateOwnProfile(ctx: Ctx, input: ProfileInput): Promise<ProfileRow> {
  const row = await ctx.query(({ db }) => updateActiveAccount(db, ctx.tenant.accountId, input));
  if (!row) throw unauthorized();
  return row;
}
