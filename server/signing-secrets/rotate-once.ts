import { tooManyRotationKeys } from "#contract/refusals.ts";
import { findRotation, keepRotation, lockRotations, readRotationWait } from "#db/queries/accounts/secret-rotations.ts";
import type { SigningSecretPair } from "#db/queries/accounts/signing-secrets.ts";
import type { Ctx } from "../context.ts";
import { rotateIn } from "./rotate.ts";

export type Rotation = { outcome: "rotated" | "replayed"; pair: SigningSecretPair };

/**
 * Rotates the signing secrets of the caller's environment once for each idempotency key: a repeat within 24 hours answers
 * with the pair of the first call, whatever was rotated since. Throws RATE_LIMITED when the environment has too many keys.
 */
export async function rotateOnce(ctx: Ctx, idempotencyKey: string): Promise<Rotation> {
  const { tenant } = ctx;
  const { keyRing } = ctx.config;
  return ctx.query(({ db }) =>
    db.transaction(async (tx) => {
      await lockRotations(tx, tenant);
      const known = await findRotation(tx, tenant, keyRing, idempotencyKey);
      if (known) return { outcome: "replayed" as const, pair: known };
      const waitS = await readRotationWait(tx, tenant);
      if (waitS > 0) throw tooManyRotationKeys(waitS);
      const pair = await rotateIn(tx, ctx);
      await keepRotation(tx, tenant, keyRing, idempotencyKey, pair);
      return { outcome: "rotated" as const, pair };
    }),
  );
}
