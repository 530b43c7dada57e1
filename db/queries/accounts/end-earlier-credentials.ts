import type { KeyRing } from "#domain/cipher.ts";
import { ENVIRONMENTS } from "#domain/environment.ts";
import type { CallSource } from "#domain/security-events.ts";
import type { DbOrTx } from "../../orm.ts";
import { lockKeys, revokeApiKeys } from "./api-keys.ts";
import { lockIdentities, unlinkIdentities } from "./identities.ts";
import { type NewSecurityEvent, recordSecurityEvent } from "./security-events.ts";
import { deleteSessions, lockSessions } from "./sessions.ts";
import { rotateSigningSecrets } from "./signing-secrets.ts";

/** Who ends them, and the keys that the new signing secrets are sealed with. */
export type EarlierEnd = Pick<NewSecurityEvent, "actor"> & CallSource & { keyRing: KeyRing };

/**
 * Ends every session, key and identity of an account, and replaces its signing secrets, each with a row in its security log.
 * Whoever makes one of them at the same time waits for the locks, and finds that the credential it was made with has ended.
 */
export async function endEarlierCredentials(
  tx: DbOrTx,
  accountId: string,
  { keyRing, ...by }: EarlierEnd,
): Promise<void> {
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
