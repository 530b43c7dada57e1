import { type ApiKeyRow, createApiKey } from "#db/queries/accounts/api-keys.ts";
import type { Ctx } from "../context.ts";
import type { ApiKeyInput } from "./api-key-input.ts";

/** Makes a key of the caller's account, in the environment it asks for; with the raw value. Throws CONFLICT at 100. */
export async function createOwnApiKey(ctx: Ctx, input: ApiKeyInput): Promise<ApiKeyRow & { key: string }> {
  return ctx.query(({ db }) => createApiKey(db, { accountId: ctx.tenant.accountId, ...input }));
}
