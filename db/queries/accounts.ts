import { and, eq, ne, sql } from "drizzle-orm";
import type { KeyRing } from "#domain/cipher.ts";
import { newId } from "#domain/ids.ts";
import type { PlanName } from "#domain/plans.ts";
import type { Db } from "../orm.ts";
import { accounts } from "../schema/index.ts";
import { insertSigningSecrets } from "./signing-secrets.ts";

export type FoundAccount = { id: string; email: string; plan: PlanName; created: boolean };

/**
 * Makes the account of an e-mail address (in any letter case), with signing secrets for both environments, or finds it;
 * of several calls at once one makes it. `plan` is that of a new account: one that exists keeps its own.
 */
export async function createOrFindAccount(
  db: Db,
  wanted: { email: string; plan: PlanName; keyRing: KeyRing; nowMs: number },
): Promise<FoundAccount> {
  const email = wanted.email.trim().toLowerCase();
  return db.transaction(async (tx) => {
    const id = newId(wanted.nowMs);
    const made = await tx
      .insert(accounts)
      .values({ id, email, plan: wanted.plan })
      .onConflictDoNothing({ target: accounts.email, where: sql`status <> 'deleted'` })
      .returning({ id: accounts.id });
    if (made.length > 0) {
      await insertSigningSecrets(tx, { accountId: id, env: "live" }, wanted.keyRing);
      await insertSigningSecrets(tx, { accountId: id, env: "test" }, wanted.keyRing);
      return { id, email, plan: wanted.plan, created: true };
    }
    const [found] = await tx
      .select({ id: accounts.id, email: accounts.email, plan: accounts.plan })
      .from(accounts)
      .where(and(eq(accounts.email, email), ne(accounts.status, "deleted")))
      .limit(1);
    if (!found) throw new Error("the account was deleted while it was looked for");
    return { ...found, created: false };
  });
}
