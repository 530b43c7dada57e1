import { type ApiKeyRow, createApiKey } from "#db/queries/accounts/api-keys.ts";
import type { Environment } from "#domain/environment.ts";
import type { Ctx } from "../context.ts";
import type { ApiKeyInput } from "./api-key-input.ts";

/**
 * Creates an API key for the caller's account; returns it with its raw value. Throws CONFLICT at 100 active keys. With
 * `prepared` raw values of `prepareKeys`, a second call returns the key of the first.
 */
export async function createOwnApiKey(
  ctx: Ctx,
  input: ApiKeyInput,
  prepared?: Readonly<Record<Environment, string>>,
): Promise<ApiKeyRow & { key: string }> {
  return ctx.query(({ db }) => createApiKey(db, { accountId: ctx.tenant.accountId, ...input }, prepared?.[input.env]));
}
