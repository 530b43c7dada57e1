import { and, asc, eq, inArray } from "drizzle-orm";
import type { Plans } from "#domain/plans.ts";
import type { ProviderName } from "#domain/providers.ts";
import type { DbOrTx } from "../../orm.ts";
import { accounts, identities } from "../../schema/index.ts";
import { lockName } from "../lock-name.ts";

export type IdentityRow = Pick<typeof identities.$inferSelect, "id" | "provider" | "createdAt">;

/** The OAuth identities of an account, in the order in which they were linked, at most `rowsMax`. */
export async function listIdentities(db: DbOrTx, accountId: string, rowsMax: number): Promise<IdentityRow[]> {
  return db
    .select(identityColumns)
    .from(identities)
    .where(eq(identities.accountId, accountId))
    .orderBy(asc(identities.createdAt), asc(identities.id))
    .limit(rowsMax);
}

/** Unlinks identities of an account: the one of this id (UUID), those of a provider, or all. Returns what was unlinked. */
export async function unlinkIdentities(
  db: DbOrTx,
  accountId: string,
  { id, provider }: { id?: string | undefined; provider?: ProviderName | undefined },
): Promise<IdentityRow[]> {
  const isMeant = and(
    eq(identities.accountId, accountId),
    id === undefined ? undefined : eq(identities.id, id),
    provider === undefined ? undefined : eq(identities.provider, provider),
  );
  return db.delete(identities).where(isMeant).returning(identityColumns);
}

const identityColumns = { id: identities.id, provider: identities.provider, createdAt: identities.createdAt };

/** Deletes the OAuth identities of an account. */
export async function deleteIdentities(db: DbOrTx, accountId: string): Promise<void> {
  await db.delete(identities).where(eq(identities.accountId, accountId));
}

/**
 * Whether an account may have one more identity: it has fewer than `identitiesMax` of its plan. Call it in the transaction
 * that stores the identity: concurrent calls wait for it, so the bound is exact.
 */
export async function hasRoomForIdentity(tx: DbOrTx, accountId: string, plans: Plans): Promise<boolean> {
  await lockIdentities(tx, accountId);
  const [account] = await tx.select({ plan: accounts.plan }).from(accounts).where(eq(accounts.id, accountId)).limit(1);
  if (!account) throw new Error("an identity needs an account");
  return (await tx.$count(identities, eq(identities.accountId, accountId))) < plans[account.plan].identitiesMax;
}

/** Serialises the calls that link identities to an account. */
export async function lockIdentities(tx: DbOrTx, accountId: string): Promise<void> {
  await lockName(tx, `identities ${accountId}`);
}

/** Whether an OAuth identity opens an account. */
export async function opensAccount(
  db: DbOrTx,
  accountId: string,
  { provider, providerAccountId }: { provider: ProviderName; providerAccountId: string },
): Promise<boolean> {
  const isThis = and(eq(identities.provider, provider), eq(identities.providerAccountId, providerAccountId));
  return (await db.$count(identities, and(isThis, eq(identities.accountId, accountId)))) > 0;
}

/** Deletes an OAuth identity that still belongs to a deleted account, so that another account can have it. */
export async function deleteIdentityOfDeleted(
  db: DbOrTx,
  { provider, providerAccountId }: { provider: ProviderName; providerAccountId: string },
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
