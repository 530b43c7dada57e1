import { and, eq, ne, sql } from "drizzle-orm";
import type { KeyRing } from "#domain/cipher.ts";
import { ENVIRONMENTS } from "#domain/environment.ts";
import { newId } from "#domain/ids.ts";
import type { PlanName } from "#domain/plans.ts";
import type { CallSource } from "#domain/security-events.ts";
import type { Db, DbOrTx } from "../../orm.ts";
import { accounts } from "../../schema/index.ts";
import { lockName } from "../lock-name.ts";
import { hasAnyAccount } from "./find.ts";
import { insertSigningSecrets } from "./signing-secrets.ts";
import { storeProfile, verifyEmail } from "./verify-email.ts";

export type FoundAccount = { id: string; email: string; plan: PlanName; created: boolean };

/**
 * Finds the account of a parsed e-mail address, or creates it, with signing secrets for each environment. Of
 * concurrent calls, one creates it. `plan` and `openedByProvider` are for a new account: an existing one keeps its own.
 */
export async function createOrFindAccount(
  db: DbOrTx,
  wanted: { email: string; plan: PlanName; keyRing: KeyRing; nowMs: number; openedByProvider?: boolean },
): Promise<FoundAccount> {
  const { email } = wanted;
  return db.transaction(async (tx) => {
    const id = newId(wanted.nowMs);
    const made = await tx
      .insert(accounts)
      .values({
        id,
        email,
        plan: wanted.plan,
        grantedPlan: wanted.plan,
        openedByProvider: wanted.openedByProvider ?? false,
      })
      .onConflictDoNothing({ target: accounts.email, where: sql`status <> 'deleted'` })
      .returning({ id: accounts.id });
    if (made.length > 0) {
      for (const env of ENVIRONMENTS) await insertSigningSecrets(tx, { accountId: id, env }, wanted.keyRing);
      return { id, email, plan: wanted.plan, created: true };
    }
    const [found] = await tx
      .select({ id: accounts.id, email: accounts.email, plan: accounts.plan })
      .from(accounts)
      .where(and(eq(accounts.email, email), ne(accounts.status, "deleted")))
      .limit(1);
    if (!found) throw new Error("the account was deleted between two statements");
    return { ...found, created: false };
  });
}

/** Who may get an account by signing in for the first time: everybody, only the very first person, or nobody. */
export type SignUpRule = "all" | "first" | "none";

/**
 * Finds the account of a person, or creates it if `rule` allows. Returns undefined when it may not be created. Under `first`, one
 * of several calls at once creates the first account. Who has shown that the address is theirs verifies it, and so does a
 * provider that vouches for it; for any other (`openedByProvider`) it stays as it is. Name and picture are stored where the
 * account has none.
 */
export async function signUpAccount(
  db: Db,
  wanted: Parameters<typeof createOrFindAccount>[1] & {
    name: string | null;
    avatarUrl: string | null;
    rule: SignUpRule;
    by: CallSource;
  },
): Promise<FoundAccount | undefined> {
  return db.transaction(async (tx) => {
    if (wanted.rule === "none") return undefined;
    if (wanted.rule === "first") {
      await lockName(tx, "stopwatch first account");
      if (await hasAnyAccount(tx)) return undefined;
    }
    const found = await createOrFindAccount(tx, wanted);
    if (wanted.openedByProvider && !found.created) return found;
    if (!wanted.openedByProvider) {
      await verifyEmail(tx, found.id, { actor: "sign_in", keyRing: wanted.keyRing, ...wanted.by });
    }
    await storeProfile(tx, found.id, wanted);
    return found;
  });
}
