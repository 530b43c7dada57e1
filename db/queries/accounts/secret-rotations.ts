import { and, desc, eq, sql } from "drizzle-orm";
import { rotationAad } from "#domain/associated-data.ts";
import { type KeyRing, open, seal } from "#domain/cipher.ts";
import { ROTATION_KEY_HOURS, ROTATION_KEYS_MAX } from "#domain/rotation-keys.ts";
import type { DbOrTx } from "../../orm.ts";
import { secretRotations } from "../../schema/index.ts";
import { lockName } from "../lock-name.ts";
import { isOwnedBy } from "./owned-by.ts";
import type { SigningSecretPair } from "./signing-secrets.ts";
import type { Tenant } from "./tenant.ts";

/**
 * Serialises the rotations of an environment that have idempotency keys. Deletes expired keys, so that the remaining
 * ones count toward the limit.
 */
export async function lockRotations(tx: DbOrTx, tenant: Tenant): Promise<void> {
  const lock = `secret rotations ${tenant.accountId} ${tenant.env}`;
  await lockName(tx, lock);
  await tx
    .delete(secretRotations)
    .where(and(isOwnedBy(secretRotations, tenant), sql`${secretRotations.rotatedAt} <= ${oldest}`));
}

/** The stored answer to the rotation with this key, in plain text. */
export async function findRotation(
  tx: DbOrTx,
  tenant: Tenant,
  ring: KeyRing,
  key: string,
): Promise<SigningSecretPair | undefined> {
  const [row] = await tx
    .select({ sealed: secretRotations.sealed, rotatedAt: secretRotations.rotatedAt })
    .from(secretRotations)
    .where(and(isOwnedBy(secretRotations, tenant), eq(secretRotations.idempotencyKey, key)))
    .limit(1);
  if (!row) return undefined;
  const [current = "", next = ""] = open(ring, row.sealed, rotationAad(tenant.accountId, tenant.env))
    .toString()
    .split(" ");
  return { current, next, rotatedAt: row.rotatedAt };
}

/** The seconds until one more key can be stored; 0 when it can be now. */
export async function readRotationWait(tx: DbOrTx, tenant: Tenant): Promise<number> {
  const [full] = await tx
    .select({ waitS: sql<number>`ceil(extract(epoch FROM ${secretRotations.rotatedAt} - ${oldest}))::integer` })
    .from(secretRotations)
    .where(isOwnedBy(secretRotations, tenant))
    .orderBy(desc(secretRotations.rotatedAt))
    .offset(ROTATION_KEYS_MAX - 1)
    .limit(1);
  return full ? Math.max(1, full.waitS) : 0;
}

/** Stores the answer to the rotation with this key, for repeated calls. */
export async function keepRotation(
  tx: DbOrTx,
  tenant: Tenant,
  ring: KeyRing,
  key: string,
  { current, next, rotatedAt }: SigningSecretPair,
): Promise<void> {
  if (rotatedAt === null) throw new Error("only a pair that was rotated can be kept");
  const sealed = seal(ring, Buffer.from(`${current} ${next}`), rotationAad(tenant.accountId, tenant.env));
  await tx.insert(secretRotations).values({ ...tenant, idempotencyKey: key, sealed, rotatedAt });
}

const oldest = sql`(clock_timestamp() - ${ROTATION_KEY_HOURS} * interval '1 hour')`;
