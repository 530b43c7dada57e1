import { readSigningSecrets, type SigningSecretPair } from "#db/queries/accounts/signing-secrets.ts";
import type { Ctx } from "../context.ts";

/** The signing secrets of the caller's environment, in plain text. */
export async function readOwnSigningSecrets(ctx: Ctx): Promise<SigningSecretPair> {
  return ctx.query(({ db }) => readSigningSecrets(db, ctx.tenant, ctx.config.keyRing));
}

/** The pair as callers see it. */
export function presentSigningSecrets({ current, next, rotatedAt }: SigningSecretPair) {
  return { current, next, rotated_at: rotatedAt?.toISOString() ?? null };
}
