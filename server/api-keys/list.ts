import { type ApiKeyRow, listApiKeys } from "#db/queries/accounts/api-keys.ts";
import type { Ctx } from "../context.ts";

const KEYS_MAX = 1_000;

/** The keys of the caller's account, newest first. */
export async function listOwnApiKeys(ctx: Ctx): Promise<ApiKeyRow[]> {
  const rows = await ctx.query(({ db }) => listApiKeys(db, ctx.tenant.accountId, KEYS_MAX));
  return rows.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1));
}
