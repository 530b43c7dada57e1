import { deleteSession } from "#db/queries/accounts/sessions.ts";
import { AppError } from "#domain/errors.ts";
import { decodeId } from "#domain/ids.ts";
import type { Ctx } from "../context.ts";
import { recordOwnEvent } from "../security/record-own-event.ts";

/**
 * Ends one session of the caller's account (`ses_…`), which may be the one of the call. Throws NOT_FOUND, also for a session
 * of another account and for one that has ended.
 */
export async function endOwnSession(ctx: Ctx, sessionId: string): Promise<{ wasCurrent: boolean }> {
  const id = decodeId("ses", sessionId);
  const hasEnded =
    id !== null &&
    (await ctx.query(({ db }) =>
      db.transaction(async (tx) => {
        const wasAlive = await deleteSession(tx, ctx.tenant.accountId, id);
        if (wasAlive) await recordOwnEvent(tx, ctx, { kind: "session_ended", subjectId: id });
        return wasAlive;
      }),
    ));
  if (!hasEnded) throw new AppError("NOT_FOUND", "There is no such session.");
  return { wasCurrent: ctx.credential.kind === "session" && ctx.credential.id === id };
}
