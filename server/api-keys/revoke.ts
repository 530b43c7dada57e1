import { hasApiKey, revokeApiKey } from "#db/queries/accounts/api-keys.ts";
import type { Ctx } from "../context.ts";
import { keyIdOrThrow, noSuchKey } from "./key-id.ts";
import { recordKeyEvent } from "./record-key-event.ts";

/** Revokes a key of the caller's account; idempotent. Throws NOT_FOUND. */
export async function revokeOwnApiKey(ctx: Ctx, keyId: string): Promise<void> {
  const { accountId } = ctx.tenant;
  const id = keyIdOrThrow(keyId);
  await ctx.query(({ db }) =>
    db.transaction(async (tx) => {
      const revoked = await revokeApiKey(tx, accountId, id);
      if (revoked) await recordKeyEvent(tx, ctx, "api_key_revoked", { id, ...revoked });
      else if (!(await hasApiKey(tx, accountId, id))) throw noSuchKey();
    }),
  );
}
