import { deleteSessions } from "#db/queries/accounts/sessions.ts";
import type { Ctx } from "../context.ts";

/** Ends every session of the caller's account except the current one. */
export async function endOtherOwnSessions(ctx: Ctx): Promise<void> {
  await ctx.query(({ db }) => deleteSessions(db, ctx.tenant.accountId, ctx.credential.id));
}
