import { and, eq, ne, sql } from "drizzle-orm";
import type { PlanName } from "#domain/plans.ts";
import { PAID_PLAN, PAST_DUE_DAYS, type Subscription, type SubscriptionStatus } from "#domain/subscription.ts";
import type { Db, DbOrTx } from "../../orm.ts";
import { accounts, customerDeletions, subscriptions } from "../../schema/index.ts";

/** The billing of an account. `customerId` is null until the account has been to the checkout. */
export type BillingState = {
  email: string;
  plan: PlanName;
  customerId: string | null;
  status: SubscriptionStatus;
  paying: boolean;
  /** Grows with each reading that is stored; 0 before the first. */
  version: number;
};

/** The billing of an account; undefined when the account is not active. */
export async function findBilling(db: DbOrTx, accountId: string): Promise<BillingState | undefined> {
  const [row] = await db
    .select({
      email: accounts.email,
      plan: accounts.plan,
      customerId: subscriptions.customerId,
      status: sql<SubscriptionStatus>`coalesce(${subscriptions.status}, 'none')`,
      paying: sql<boolean>`coalesce(${subscriptions.paying}, false)`,
      version: sql<number>`coalesce(${subscriptions.version}, 0)`,
    })
    .from(accounts)
    .leftJoin(subscriptions, eq(subscriptions.accountId, accounts.id))
    .where(and(eq(accounts.id, accountId), eq(accounts.status, "active")))
    .limit(1);
  return row;
}

/**
 * Stores the customer of an active account at the billing provider, in place of the customer `known` (null: none). When
 * the account is no longer active, or another call has stored another customer meanwhile, the customer is queued for
 * deletion instead.
 */
export async function saveCustomer(
  db: Db,
  accountId: string,
  { customerId, account: known }: { customerId: string; account: string | null },
): Promise<"saved" | "inactive" | "another"> {
  return db.transaction(async (tx) => {
    // Locks out a deletion of the account: either it finds the customer, or this call finds the account deleted.
    const [account] = await tx
      .select({ status: accounts.status })
      .from(accounts)
      .where(eq(accounts.id, accountId))
      .limit(1)
      .for("share");
    const isActive = account?.status === "active";
    if (isActive && (await insertCustomer(tx, accountId, customerId, known))) return "saved";
    await tx.insert(customerDeletions).values({ customerId }).onConflictDoNothing();
    return isActive ? "another" : "inactive";
  });
}

async function insertCustomer(tx: DbOrTx, accountId: string, customerId: string, known: string | null) {
  await tx
    .insert(subscriptions)
    .values({ accountId, customerId })
    .onConflictDoUpdate({
      target: subscriptions.accountId,
      set: { customerId, version: sql`${subscriptions.version} + 1`, updatedAt: sql`clock_timestamp()` },
      setWhere: and(eq(subscriptions.customerId, known ?? ""), ne(subscriptions.customerId, customerId)),
    });
  const [saved] = await tx
    .select({ customerId: subscriptions.customerId })
    .from(subscriptions)
    .where(eq(subscriptions.accountId, accountId))
    .limit(1);
  return saved?.customerId === customerId;
}

/** The account of a customer, with the version of its subscription. */
export async function findCustomer(
  db: DbOrTx,
  customerId: string,
): Promise<{ accountId: string; version: number } | undefined> {
  const [row] = await db
    .select({ accountId: subscriptions.accountId, version: subscriptions.version })
    .from(subscriptions)
    .where(eq(subscriptions.customerId, customerId))
    .limit(1);
  return row;
}

/** How long after a check of a subscription the next one is due, s. */
const CHECK_EVERY_S = 86_400;

/**
 * Claims the subscription whose check has been due longest, for one try, with its version. Its next check is due in a
 * day, even if this one fails. Undefined when none is due.
 */
export async function takeSubscriptionToCheck(
  db: DbOrTx,
): Promise<{ accountId: string; customerId: string; version: number } | undefined> {
  const [taken] = await db.execute<{ accountId: string; customerId: string; version: number }>(sql`
    UPDATE subscriptions s SET next_check_at = clock_timestamp() + ${CHECK_EVERY_S} * interval '1 second'
    WHERE s.account_id = (
      SELECT account_id FROM subscriptions WHERE next_check_at <= clock_timestamp()
      ORDER BY next_check_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
    RETURNING s.account_id AS "accountId", s.customer_id AS "customerId", s.version`);
  return taken;
}

/** The next check of an account's subscription is due `seconds` from now. */
export async function checkSubscriptionIn(db: DbOrTx, accountId: string, seconds: number): Promise<void> {
  await db.execute(sql`
    UPDATE subscriptions SET next_check_at = clock_timestamp() + ${seconds} * interval '1 second'
    WHERE account_id = ${accountId}`);
}

/**
 * Stores a reading of a subscription and settles the account's plan, in one transaction. Returns false, and stores
 * nothing, when another reading was stored since `version` was read: this one may be older.
 */
export async function storeSubscription(
  db: Db,
  { accountId, version }: { accountId: string; version: number },
  subscription: Subscription,
): Promise<boolean> {
  const { status } = subscription;
  const renewsAt = status === "active" ? subscription.renewsAt.toISOString() : null;
  const endsAt = status === "canceled" ? subscription.endsAt.toISOString() : null;
  return db.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const stored = await tx.execute(sql`
      UPDATE subscriptions s SET status = ${status}, current_period_end = ${renewsAt}::timestamptz, paid_until = n.paid_until,
        paying = ${status} <> 'none' AND (n.paid_until IS NULL OR n.paid_until > clock_timestamp()),
        version = s.version + 1, updated_at = clock_timestamp()
      FROM (
        SELECT account_id, CASE
          WHEN ${status} = 'canceled' THEN ${endsAt}::timestamptz
          WHEN ${status} = 'past_due' AND status = 'past_due' THEN paid_until
          WHEN ${status} = 'past_due' THEN clock_timestamp() + ${PAST_DUE_DAYS} * interval '1 day'
        END AS paid_until
        FROM subscriptions WHERE account_id = ${accountId}) n
      WHERE s.account_id = n.account_id AND s.version = ${version} RETURNING 1`);
    if (stored.length === 0) return false;
    await settlePlan(tx, accountId);
    return true;
  });
}

/** Locks an account. Call it before changing anything that decides the plan; call `settlePlan` afterwards. */
async function lockAccount(tx: DbOrTx, accountId: string): Promise<void> {
  await tx.execute(sql`SELECT 1 FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`);
}

/** Sets the plan of a locked account: the paid plan if it is paying, otherwise the granted one. */
export async function settlePlan(tx: DbOrTx, accountId: string): Promise<void> {
  await tx.execute(sql`
    UPDATE accounts a SET plan = n.plan, updated_at = clock_timestamp()
    FROM (
      SELECT o.id, CASE WHEN s.paying THEN ${PAID_PLAN} ELSE o.granted_plan END AS plan
      FROM accounts o LEFT JOIN subscriptions s ON s.account_id = o.id WHERE o.id = ${accountId}) n
    WHERE a.id = n.id AND a.plan <> n.plan`);
}

/**
 * Deletes the billing of an account and queues its customer for deletion. Call it in the transaction that deletes the
 * account.
 */
export async function queueCustomerDeletion(tx: DbOrTx, accountId: string): Promise<void> {
  await tx.execute(sql`
    WITH gone AS (DELETE FROM subscriptions WHERE account_id = ${accountId} RETURNING customer_id)
    INSERT INTO customer_deletions (customer_id) SELECT customer_id FROM gone ON CONFLICT DO NOTHING`);
}
