import { type ApiKeyRow, createApiKey } from "#db/queries/accounts/api-keys.ts";
import type { Ctx } from "../context.ts";
import type { ApiKeyInput } from "./api-key-input.ts";

/** Creates an API key for the caller's account; returns it with its raw value. Throws CONFLICT at 100 active keys. */
export async function createOwnApiKey(ctx: Ctx, input: ApiKeyInput): Promise<ApiKeyRow & { key: string }> {
  return ctx.query(({ db }) => createApiKey(db, { accountId: ctx.tenant.accountId, ...input }));
}
