import { and, eq, inArray } from "drizzle-orm";
import type { DbOrTx } from "../../orm.ts";
import { accounts, identities } from "../../schema/index.ts";

/** Deletes the OAuth identities of an account. */
export async function deleteIdentities(db: DbOrTx, accountId: string): Promise<void> {
  await db.delete(identities).where(eq(identities.accountId, accountId));
}

/** Deletes an OAuth identity that still belongs to a deleted account, so that another account can have it. */
export async function deleteIdentityOfDeleted(
  db: DbOrTx,
  { provider, providerAccountId }: { provider: string; providerAccountId: string },
): Promise<void> {
  await db
    .delete(identities)
    .where(
      and(
        eq(identities.provider, provider),
        eq(identities.providerAccountId, providerAccountId),
        inArray(
          identities.accountId,
          db.select({ id: accounts.id }).from(accounts).where(eq(accounts.status, "deleted")),
        ),
      ),
    );
}
