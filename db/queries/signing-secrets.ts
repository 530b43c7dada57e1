import { and, eq } from "drizzle-orm";
import { secretAad } from "#domain/associated-data.ts";
import { type KeyRing, open, seal } from "#domain/cipher.ts";
import { generateSigningSecret } from "#domain/signing.ts";
import type { DbOrTx } from "../orm.ts";
import { signingSecrets } from "../schema/index.ts";
import type { Tenant } from "./tenant.ts";

export type SigningSecretPair = { current: string; next: string; rotatedAt: Date | null };

/** The signing secrets of an environment in plain text; makes them when there are none. */
export async function readSigningSecrets(db: DbOrTx, tenant: Tenant, ring: KeyRing): Promise<SigningSecretPair> {
  const read = () =>
    db
      .select({
        current: signingSecrets.current,
        next: signingSecrets.next,
        rotatedAt: signingSecrets.rotatedAt,
      })
      .from(signingSecrets)
      .where(and(eq(signingSecrets.accountId, tenant.accountId), eq(signingSecrets.env, tenant.env)))
      .limit(1);
  let [row] = await read();
  if (!row) {
    await insertSigningSecrets(db, tenant, ring);
    [row] = await read();
  }
  if (!row) throw new Error("the signing secrets vanished while they were read");
  const plain = (sealed: Buffer) => open(ring, sealed, secretAad(tenant.accountId, tenant.env)).toString();
  return { current: plain(row.current), next: plain(row.next), rotatedAt: row.rotatedAt };
}

/** Makes the pair of an environment; one that exists stays as it is. */
export async function insertSigningSecrets(db: DbOrTx, tenant: Tenant, ring: KeyRing): Promise<void> {
  const sealed = () => seal(ring, Buffer.from(generateSigningSecret()), secretAad(tenant.accountId, tenant.env));
  await db
    .insert(signingSecrets)
    .values({ ...tenant, current: sealed(), next: sealed() })
    .onConflictDoNothing();
}
