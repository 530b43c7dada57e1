import { hasApiKey, isLiveApiKey, type RawApiKey, type Rotation, rotateApiKey } from "#db/queries/accounts/api-keys.ts";
import { AppError, SignInTooOld } from "#domain/errors.ts";
import { hasRecentSignIn } from "../auth/recent-sign-in.ts";
import { type Ctx, sessionIdOf } from "../context.ts";
import { keyIdOrThrow, noSuchKey } from "./key-id.ts";
import { recordKeyEvent } from "./record-key-event.ts";

/**
 * Revokes a key, or lets it expire after an overlap, and creates its replacement in one transaction; returns the new key with
 * its raw value. Throws NOT_FOUND, SignInTooOld for a live key, CONFLICT when the key is revoked or was rotated, so that of
 * concurrent rotations only one succeeds, or when both keys would be too many, and RATE_LIMITED. With `prepared` raw values of
 * `prepareKeys`, a second call returns the key of the first.
 */
export async function rotateOwnApiKey(ctx: Ctx, keyId: string, rotation: Rotation): Promise<RawApiKey> {
  const { accountId } = ctx.tenant;
  const id = keyIdOrThrow(keyId);
  const mayRotateLive = hasRecentSignIn(ctx);
  if (!mayRotateLive && (await ctx.query(({ db }) => isLiveApiKey(db, accountId, id)))) throw new SignInTooOld();
  const replacement = await ctx.query(({ db }) =>
    db.transaction(async (tx) => {
      const key = await rotateApiKey(tx, accountId, id, ctx.limits, { ...rotation, sessionId: sessionIdOf(ctx) });
      if (key?.isNew) await recordKeyEvent(tx, ctx, "api_key_rotated", key);
      return key;
    }),
  );
  if (replacement) return replacement;
  if (!(await ctx.query(({ db }) => hasApiKey(db, accountId, id)))) throw noSuchKey();
  throw new AppError(
    "CONFLICT",
    "This API key is revoked or was rotated already, and cannot be rotated. Rotate its replacement, or create a new key.",
  );
}
