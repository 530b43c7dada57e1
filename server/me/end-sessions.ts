import { deleteSessions } from "#db/queries/accounts/sessions.ts";
import type { Ctx } from "../context.ts";
import { recordOwnEvent } from "../security/record-own-event.ts";

/** Ends every session of the caller's account except the current one. */
export async function endOtherOwnSessions(ctx: Ctx): Promise<void> {
  await ctx.query(({ db }) =>
    db.transaction(async (tx) => {
      const times = await deleteSessions(tx, ctx.tenant.accountId, ctx.credential.id);
      if (times > 0) await recordOwnEvent(tx, ctx, { kind: "session_ended", times });
    }),
  );
}
