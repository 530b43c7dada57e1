import { and, eq, type SQL, sql } from "drizzle-orm";
import type { SubscriptionStatus } from "#domain/subscription.ts";
import type { DbOrTx } from "../../orm.ts";
import { accounts, subscriptions } from "../../schema/index.ts";

export type ProfileRow = Pick<typeof accounts.$inferSelect, keyof typeof profileColumns> & {
  subscriptionStatus: SubscriptionStatus;
  /** When the subscription renews, or stops giving the account its plan. */
  periodEnd: Date | null;
};

/** The profile of an account; undefined when it is not active. */
export async function findActiveAccount(db: DbOrTx, id: string): Promise<ProfileRow | undefined> {
  const [row] = await db
    .select({
      ...profileColumns,
      subscriptionStatus: subscriptions.status,
      paidUntil: subscriptions.paidUntil,
      currentPeriodEnd: subscriptions.currentPeriodEnd,
    })
    .from(accounts)
    .leftJoin(subscriptions, eq(subscriptions.accountId, accounts.id))
    .where(isActive(id))
    .limit(1);
  if (row === undefined) return undefined;
  const { subscriptionStatus, paidUntil, currentPeriodEnd, ...profile } = row;
  return { ...profile, subscriptionStatus: subscriptionStatus ?? "none", periodEnd: paidUntil ?? currentPeriodEnd };
}

/**
 * Changes what the owner may change of an active account; undefined fields stay. Returns the profile as it is now;
 * undefined when the account is not active.
 */
export async function updateActiveAccount(
  db: DbOrTx,
  id: string,
  change: { name?: string | undefined; notices?: boolean | undefined },
): Promise<ProfileRow | undefined> {
  await db
    .update(accounts)
    .set({ ...change, updatedAt: sql`clock_timestamp()` })
    .where(isActive(id));
  return findActiveAccount(db, id);
}

/** Turns the notices of an account off, whatever its status. */
export async function turnNoticesOff(db: DbOrTx, id: string): Promise<void> {
  await db
    .update(accounts)
    .set({ notices: false, updatedAt: sql`clock_timestamp()` })
    .where(and(eq(accounts.id, id), eq(accounts.notices, true)));
}

const profileColumns = {
  id: accounts.id,
  email: accounts.email,
  emailVerifiedAt: accounts.emailVerifiedAt,
  name: accounts.name,
  avatarUrl: accounts.avatarUrl,
  plan: accounts.plan,
  notices: accounts.notices,
  createdAt: accounts.createdAt,
};

function isActive(id: string): SQL | undefined {
  return and(eq(accounts.id, id), eq(accounts.status, "active"));
}
