import { revokeApiKey } from "#db/queries/accounts/api-keys.ts";
import type { Ctx } from "../context.ts";
import { keyIdOrThrow, noSuchKey } from "./key-id.ts";

/** Revokes a key of the caller's account; idempotent. Throws NOT_FOUND. */
export async function revokeOwnApiKey(ctx: Ctx, keyId: string): Promise<void> {
  const id = keyIdOrThrow(keyId);
  if (!(await ctx.query(({ db }) => revokeApiKey(db, ctx.tenant.accountId, id)))) throw noSuchKey();
}
