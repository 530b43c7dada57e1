import { and, eq, isNull, ne, type SQL, sql } from "drizzle-orm";
import type { KeyRing } from "#domain/cipher.ts";
import { ENVIRONMENTS } from "#domain/environment.ts";
import { newId } from "#domain/ids.ts";
import type { PlanName } from "#domain/plans.ts";
import type { SubscriptionStatus } from "#domain/subscription.ts";
import type { Db, DbOrTx } from "../../orm.ts";
import { accounts, subscriptions } from "../../schema/index.ts";
import { revokeApiKeys } from "./api-keys.ts";
import { deleteIdentities } from "./identities.ts";
import { deleteSessions } from "./sessions.ts";
import { insertSigningSecrets } from "./signing-secrets.ts";
import { queueCustomerDeletion } from "./subscriptions.ts";

export type FoundAccount = { id: string; email: string; plan: PlanName; created: boolean };

/**
 * Makes the account of an e-mail address (in any letter case), with signing secrets for both environments, or finds it;
 * of several calls at once one makes it. `plan` is that of a new account: one that exists keeps its own.
 */
export async function createOrFindAccount(
  db: DbOrTx,
  wanted: { email: string; plan: PlanName; keyRing: KeyRing; nowMs: number },
): Promise<FoundAccount> {
  const email = wanted.email.trim().toLowerCase();
  return db.transaction(async (tx) => {
    const id = newId(wanted.nowMs);
    const made = await tx
      .insert(accounts)
      .values({ id, email, plan: wanted.plan, grantedPlan: wanted.plan })
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
    if (!found) throw new Error("the account was deleted while it was looked for");
    return { ...found, created: false };
  });
}

/** Whose accounts a first sign-in may make: everybody's, nobody's, or that of the very first who comes. */
export type SignUpRule = "all" | "first" | "none";

/**
 * Makes the account of somebody who showed that the address is theirs, as `rule` allows, or finds it; undefined when it may
 * not be made. Of several that would be the first, one is. Name and picture are taken where there is none yet.
 */
export async function signUpAccount(
  db: Db,
  wanted: Parameters<typeof createOrFindAccount>[1] & {
    name: string | null;
    avatarUrl: string | null;
    rule: SignUpRule;
  },
): Promise<FoundAccount | undefined> {
  return db.transaction(async (tx) => {
    if (wanted.rule === "none") return undefined;
    if (wanted.rule === "first") {
      await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended('stopwatch first account', 0))`);
      const [any] = await tx.select({ id: accounts.id }).from(accounts).limit(1);
      if (any) return undefined;
    }
    const found = await createOrFindAccount(tx, wanted);
    await vouchFor(tx, found.id, wanted);
    return found;
  });
}

/** Marks the address of an account as verified, unless it is, and takes name and picture where there is none yet. */
export async function vouchFor(
  db: DbOrTx,
  id: string,
  { name, avatarUrl }: { name: string | null; avatarUrl: string | null },
): Promise<void> {
  await verifyEmail(db, id);
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

export type ProfileRow = Pick<typeof accounts.$inferSelect, keyof typeof profileColumns> & {
  subscriptionStatus: SubscriptionStatus;
  /** When the subscription renews, or gives the account its plan no longer. */
  periodEnd: Date | null;
};

/** The profile of an account, unless it is not active. */
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

/** The account (UUID) of an e-mail address, in any letter case, unless it is deleted. */
export async function findAccountId(db: DbOrTx, email: string): Promise<string | undefined> {
  const [row] = await db
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(eq(accounts.email, email.trim().toLowerCase()), ne(accounts.status, "deleted")))
    .limit(1);
  return row?.id;
}

/** Changes what its owner may change of an active account, and leaves what is undefined; the profile as it is now. */
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

/** Marks the e-mail address of an account as verified, unless it is. */
export async function verifyEmail(db: DbOrTx, id: string): Promise<void> {
  await db
    .update(accounts)
    .set({ emailVerifiedAt: sql`clock_timestamp()`, updatedAt: sql`clock_timestamp()` })
    .where(and(eq(accounts.id, id), isNull(accounts.emailVerifiedAt)));
}

/**
 * Deletes an active account: from here on it creates, claims and authenticates nothing. One transaction sets its status,
 * which waits for creates that have begun, ends its credentials and queues its customer for deletion at the billing
 * provider; its rows are erased later. Returns its shard, or undefined when it is not active.
 */
export async function deleteActiveAccount(db: Db, id: string): Promise<number | undefined> {
  return db.transaction(async (tx) => {
    const [row] = await tx
      .update(accounts)
      .set({ status: "deleted", deletedAt: sql`clock_timestamp()`, updatedAt: sql`clock_timestamp()` })
      .where(isActive(id))
      .returning({ shard: accounts.shard });
    if (!row) return undefined;
    await deleteSessions(tx, id);
    await revokeApiKeys(tx, id);
    await deleteIdentities(tx, id);
    await queueCustomerDeletion(tx, id);
    return row.shard;
  });
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
