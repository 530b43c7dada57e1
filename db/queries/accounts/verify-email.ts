import { and, eq, isNull, sql } from "drizzle-orm";
import type { DbOrTx } from "../../orm.ts";
import { accounts } from "../../schema/index.ts";
import { type EarlierEnd, endEarlierCredentials } from "./end-earlier-credentials.ts";

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
