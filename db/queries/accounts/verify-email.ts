import { and, eq, isNull, sql } from "drizzle-orm";
import type { KeyRing } from "#domain/cipher.ts";
import { ENVIRONMENTS } from "#domain/environment.ts";
import type { CallSource } from "#domain/security-events.ts";
import type { DbOrTx } from "../../orm.ts";
import { accounts } from "../../schema/index.ts";
import { lockKeys, revokeApiKeys } from "./api-keys.ts";
import { lockIdentities, unlinkIdentities } from "./identities.ts";
import { type NewSecurityEvent, recordSecurityEvent } from "./security-events.ts";
import { deleteSessions, lockSessions } from "./sessions.ts";
import { rotateSigningSecrets } from "./signing-secrets.ts";

/**
 * Marks the e-mail address of an account as verified, if it is not yet. Where a provider made the account that does not vouch for
 * the address, somebody else may have come before the owner of the mailbox: the first verification then ends everything that
 * opens the account. Concurrent calls wait for each other, so what the owner makes afterwards stays. Returns whether it was not
 * verified before.
 */
export async function verifyEmail(db: DbOrTx, id: string, by: EarlierEnd): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [verified] = await tx
      .update(accounts)
      .set({ emailVerifiedAt: sql`clock_timestamp()`, updatedAt: sql`clock_timestamp()` })
      .where(and(eq(accounts.id, id), isNull(accounts.emailVerifiedAt)))
      .returning({ openedByProvider: accounts.openedByProvider });
    if (verified?.openedByProvider) await endEarlierCredentials(tx, id, by);
    return verified !== undefined;
  });
}

/** Stores name and picture of a person where their account has none. */
export async function storeProfile(
  db: DbOrTx,
  id: string,
  { name, avatarUrl }: { name: string | null; avatarUrl: string | null },
): Promise<void> {
  if (name === null && avatarUrl === null) return;
  await db
    .update(accounts)
    .set({
      name: sql`coalesce(${accounts.name}, ${name})`,
      avatarUrl: sql`coalesce(${accounts.avatarUrl}, ${avatarUrl})`,
      updatedAt: sql`clock_timestamp()`,
    })
    .where(and(eq(accounts.id, id), sql`(${accounts.name} IS NULL OR ${accounts.avatarUrl} IS NULL)`));
}

/** Who ends them, and the keys that the new signing secrets are sealed with. */
type EarlierEnd = Pick<NewSecurityEvent, "actor"> & CallSource & { keyRing: KeyRing };

/**
 * Ends every session, key and identity of an account, and replaces its signing secrets, each with a row in its security log.
 * A call that makes one of them at the same time waits for the locks, and finds that its credential has ended.
 */
async function endEarlierCredentials(tx: DbOrTx, accountId: string, { keyRing, ...by }: EarlierEnd): Promise<void> {
  await lockIdentities(tx, accountId);
  await lockSessions(tx, accountId);
  await lockKeys(tx, accountId);
  for (const { provider } of await unlinkIdentities(tx, accountId, {})) {
    await recordSecurityEvent(tx, { ...by, accountId, kind: "identity_removed", details: { provider } });
  }
  const times = await deleteSessions(tx, accountId);
  if (times > 0) await recordSecurityEvent(tx, { ...by, accountId, kind: "session_ended", times });
  for (const { id: subjectId, name: keyName, env } of await revokeApiKeys(tx, accountId)) {
    await recordSecurityEvent(tx, { ...by, accountId, kind: "api_key_revoked", subjectId, details: { keyName, env } });
  }
  for (const env of ENVIRONMENTS) {
    // Twice: the next secret was readable too. The former one signs for a day more, as after every rotation.
    await rotateSigningSecrets(tx, { accountId, env }, keyRing);
    await rotateSigningSecrets(tx, { accountId, env }, keyRing);
    await recordSecurityEvent(tx, { ...by, accountId, kind: "signing_secrets_rotated", details: { env } });
  }
}
