import { rotateSigningSecrets, type SigningSecretPair } from "#db/queries/accounts/signing-secrets.ts";
import type { Ctx } from "../context.ts";

/**
 * Makes the next signing secret of the caller's environment the current one; the new pair in plain text. With `seen`, the
 * `rotatedAt` that the caller last saw, a pair that was rotated since stays as it is.
 */
export async function rotateOwnSigningSecrets(ctx: Ctx, seen?: Date | null): Promise<SigningSecretPair> {
  return ctx.query(({ db }) => rotateSigningSecrets(db, ctx.tenant, ctx.config.keyRing, seen));
}
