import type { DbOrTx } from "#db/orm.ts";
import {
  type RotatedSecretPair,
  rotateSigningSecrets,
  type SigningSecretPair,
} from "#db/queries/accounts/signing-secrets.ts";
import type { Ctx } from "../context.ts";
import { recordOwnEvent } from "../security/record-own-event.ts";

/**
 * Makes the next signing secret of the caller's environment the current one; the new pair in plain text. With `seen`, the
 * `rotatedAt` that the caller last saw, a pair that was rotated since stays as it is.
 */
export async function rotateOwnSigningSecrets(ctx: Ctx, seen?: Date | null): Promise<SigningSecretPair> {
  return ctx.query(({ db }) => db.transaction((tx) => rotateIn(tx, ctx, seen)));
}

/** As `rotateOwnSigningSecrets`, in a transaction that does more. */
export async function rotateIn(tx: DbOrTx, ctx: Ctx, seen?: Date | null): Promise<RotatedSecretPair> {
  const pair = await rotateSigningSecrets(tx, ctx.tenant, ctx.config.keyRing, seen);
  const details = { env: ctx.tenant.env };
  if (pair.isRotated) await recordOwnEvent(tx, ctx, { kind: "signing_secrets_rotated", details });
  return pair;
}
