import { and, desc, eq, lt, ne, type SQL, sql } from "drizzle-orm";
import type { AccountStatus, ExistingAccountStatus } from "#domain/account-status.ts";
import { TRIAL_EMAIL } from "#domain/email-address.ts";
import type { PlanName } from "#domain/plans.ts";
import type { SubscriptionStatus } from "#domain/subscription.ts";
import type { DbOrTx } from "../../orm.ts";
import { accounts, subscriptions, usage } from "../../schema/index.ts";

export type AccountSearch = {
  /** Part of the e-mail address, in lower case. */
  email?: string | undefined;
  /** UUID. */
  id?: string | undefined;
  plan?: PlanName | undefined;
  status?: ExistingAccountStatus | undefined;
  /** The last account (UUID) of the page before. */
  after?: string | undefined;
  limit: number;
};

export type AccountRow = {
  id: string;
  email: string;
  name: string | null;
  plan: PlanName;
  grantedPlan: PlanName;
  status: AccountStatus;
  subscriptionStatus: SubscriptionStatus;
  /** Schedules created in the live environment this month (UTC). */
  scheduled: number;
  createdAt: Date;
};

/** Accounts that are not deleted, the newest first. The one of trials is found by its address or id alone. */
export async function listAccounts(db: DbOrTx, { after, limit, ...search }: AccountSearch): Promise<AccountRow[]> {
  return db
    .select({
      id: accounts.id,
      email: accounts.email,
      name: accounts.name,
      plan: accounts.plan,
      grantedPlan: accounts.grantedPlan,
      status: accounts.status,
      subscriptionStatus: sql<SubscriptionStatus>`coalesce(${subscriptions.status}, 'none')`,
      scheduled: sql<number>`coalesce(${usage.scheduled}, 0)`,
      createdAt: accounts.createdAt,
    })
    .from(accounts)
    .leftJoin(subscriptions, eq(subscriptions.accountId, accounts.id))
    .leftJoin(
      usage,
      and(
        eq(usage.accountId, accounts.id),
        eq(usage.env, "live"),
        eq(usage.period, sql`to_char(clock_timestamp() AT TIME ZONE 'utc', 'YYYYMM')`),
      ),
    )
    .where(and(matches(search), after === undefined ? undefined : lt(accounts.id, after)))
    .orderBy(desc(accounts.id))
    .limit(limit);
}

/** How many accounts match, counted up to `max`. */
export async function countAccounts(
  db: DbOrTx,
  search: Omit<AccountSearch, "after" | "limit">,
  max: number,
): Promise<number> {
  const found = db.select({ id: accounts.id }).from(accounts).where(matches(search)).limit(max).as("found");
  const [row] = await db.select({ n: sql<number>`count(*)::integer` }).from(found);
  return row?.n ?? 0;
}

// position() and not LIKE, so that % and _ are plain characters.
function matches({ email, id, plan, status }: Omit<AccountSearch, "after" | "limit">): SQL | undefined {
  return and(
    ne(accounts.status, "deleted"),
    email === undefined && id === undefined ? ne(accounts.email, TRIAL_EMAIL) : undefined,
    email === undefined ? undefined : sql`position(${email} in ${accounts.email}) > 0`,
    id === undefined ? undefined : eq(accounts.id, id),
    plan === undefined ? undefined : eq(accounts.plan, plan),
    status === undefined ? undefined : eq(accounts.status, status),
  );
}
