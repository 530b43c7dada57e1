import { and, sql } from "drizzle-orm";
import { secretAad } from "#domain/associated-data.ts";
import { type KeyRing, open, seal } from "#domain/cipher.ts";
import { generateSigningSecret } from "#domain/signing.ts";
import type { DbOrTx } from "../../orm.ts";
import { signingSecrets } from "../../schema/index.ts";
import { isOwnedBy } from "./owned-by.ts";
import type { Tenant } from "./tenant.ts";

/** `isRotated`: this call has rotated the pair. */
export type RotatedSecretPair = SigningSecretPair & { isRotated: boolean };

export type SigningSecretPair = { current: string; next: string; rotatedAt: Date | null };

/** For how many hours after a rotation the former secret signs beside the current one. */
const FORMER_HOURS = 24;

/** The signing secrets of an environment in plain text. Makes them when there are none. */
export async function readSigningSecrets(db: DbOrTx, tenant: Tenant, ring: KeyRing): Promise<SigningSecretPair> {
  return findOrInsert(db, tenant, ring, () => selectPair(db, tenant));
}

/**
 * Makes the next secret the current one, and a new secret the next. The former current one signs beside it for
 * `FORMER_HOURS`. Returns the new pair in plain text. It is one statement, so concurrent calls rotate one after the
 * other. With `seen`, the `rotatedAt` of a pair that was read before, a pair that was rotated since stays as it is.
 */
export async function rotateSigningSecrets(
  db: DbOrTx,
  tenant: Tenant,
  ring: KeyRing,
  seen?: Date | null,
): Promise<RotatedSecretPair> {
  const rotatedAt = sql`date_trunc('milliseconds', ${signingSecrets.rotatedAt})`;
  const isUnchanged =
    seen === undefined ? undefined : sql`${rotatedAt} IS NOT DISTINCT FROM ${seen?.toISOString() ?? null}::timestamptz`;
  let isRotated = false;
  const pair = await findOrInsert(db, tenant, ring, async () => {
    const rotated = await db
      .update(signingSecrets)
      .set({
        former: sql`${signingSecrets.current}`,
        formerUntil: sql`clock_timestamp() + ${FORMER_HOURS} * interval '1 hour'`,
        current: sql`${signingSecrets.next}`,
        next: sealedSecret(tenant, ring),
        rotatedAt: sql`clock_timestamp()`,
      })
      .where(and(isOwnedBy(signingSecrets, tenant), isUnchanged))
      .returning(pairColumns);
    isRotated = rotated.length > 0;
    return isRotated || seen === undefined ? rotated : selectPair(db, tenant);
  });
  return { ...pair, isRotated };
}

/** Makes the signing secrets of an environment, unless it has some. */
export async function insertSigningSecrets(db: DbOrTx, tenant: Tenant, ring: KeyRing): Promise<void> {
  await db
    .insert(signingSecrets)
    .values({ ...tenant, current: sealedSecret(tenant, ring), next: sealedSecret(tenant, ring) })
    .onConflictDoNothing();
}

const pairColumns = {
  current: signingSecrets.current,
  next: signingSecrets.next,
  rotatedAt: signingSecrets.rotatedAt,
};

async function selectPair(db: DbOrTx, tenant: Tenant) {
  return db.select(pairColumns).from(signingSecrets).where(isOwnedBy(signingSecrets, tenant)).limit(1);
}

async function findOrInsert(
  db: DbOrTx,
  tenant: Tenant,
  ring: KeyRing,
  find: () => Promise<{ current: Buffer; next: Buffer; rotatedAt: Date | null }[]>,
): Promise<SigningSecretPair> {
  let [row] = await find();
  if (!row) {
    await insertSigningSecrets(db, tenant, ring);
    [row] = await find();
  }
  if (!row) throw new Error("the signing secrets were deleted between two statements");
  const plain = (sealed: Buffer) => open(ring, sealed, secretAad(tenant.accountId, tenant.env)).toString();
  return { current: plain(row.current), next: plain(row.next), rotatedAt: row.rotatedAt };
}

function sealedSecret({ accountId, env }: Tenant, ring: KeyRing): Buffer {
  return seal(ring, Buffer.from(generateSigningSecret()), secretAad(accountId, env));
}
