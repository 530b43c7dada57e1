import type { ApiKeyInput } from "#contract/inputs/api-key-input.ts";
import { createApiKey, type RawApiKey } from "#db/queries/accounts/api-keys.ts";
import type { Environment } from "#domain/environment.ts";
import { assertRecentSignIn } from "../auth/recent-sign-in.ts";
import { type Ctx, sessionIdOf } from "../context.ts";
import { recordKeyEvent } from "./record-key-event.ts";

/**
 * Creates an API key for the caller's account; returns it with its raw value. Throws SignInTooOld for a live key, CONFLICT and
 * RATE_LIMITED at the plan's limits of keys. With `prepared` raw values of `prepareKeys`, a second call returns the key of the
 * first.
 */
export async function createOwnApiKey(
  ctx: Ctx,
  input: ApiKeyInput,
  prepared?: Readonly<Record<Environment, string>>,
): Promise<RawApiKey> {
  if (input.env === "live") assertRecentSignIn(ctx);
  const wanted = { accountId: ctx.tenant.accountId, ...input, sessionId: sessionIdOf(ctx) };
  return ctx.query(({ db }) =>
    db.transaction(async (tx) => {
      const key = await createApiKey(tx, wanted, ctx.limits, prepared?.[input.env]);
      if (key.isNew) await recordKeyEvent(tx, ctx, "api_key_created", key);
      return key;
    }),
  );
}
