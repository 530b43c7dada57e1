import { and, desc, eq, gt, inArray, ne, type SQL, sql } from "drizzle-orm";
import type { PlanName, Plans } from "#domain/plans.ts";
import { generateSessionToken, hashSessionToken, SESSION_DAYS } from "#domain/session-token.ts";
import type { DbOrTx } from "../../orm.ts";
import { accounts, sessions } from "../../schema/index.ts";

export type ActiveSession = {
  tokenHash: string;
  /** UUID. */
  id: string;
  accountId: string;
  plan: PlanName;
  email: string;
  emailVerified: boolean;
  /** True when `last_used_at` is more than a minute old. */
  isStale: boolean;
  /** True when the session was not renewed for a day. */
  isRenewable: boolean;
};

/**
 * Starts a session of `SESSION_DAYS` days, and ends others as `makeRoomForSession` does. `token` is the value of its
 * cookie, which is not stored.
 */
export async function createSession(
  db: DbOrTx,
  wanted: { accountId: string; userAgent: string | null },
  plans: Plans,
): Promise<{ token: string }> {
  const token = generateSessionToken();
  await db.transaction(async (tx) => {
    await makeRoomForSession(tx, wanted.accountId, plans);
    await tx.insert(sessions).values({ ...wanted, tokenHash: hashSessionToken(token), expiresAt: fullTerm });
  });
  return { token };
}

/**
 * Ends sessions of an account so that it has `sessionsMax` of its plan with the one that follows: expired ones first, then
 * those that were not used for longest. Call it in the transaction that starts the session: concurrent sign-ins wait for
 * it, so the bound is exact.
 */
export async function makeRoomForSession(tx: DbOrTx, accountId: string, plans: Plans): Promise<void> {
  // Not with the account's row, which creating schedules locks too.
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`sessions ${accountId}`}, 0))`);
  const [account] = await tx.select({ plan: accounts.plan }).from(accounts).where(eq(accounts.id, accountId)).limit(1);
  if (!account) throw new Error("a session needs an account");
  const surplus = tx
    .select({ tokenHash: sessions.tokenHash })
    .from(sessions)
    .where(eq(sessions.accountId, accountId))
    .orderBy(desc(isAlive), desc(sessions.lastUsedAt), sessions.id)
    .offset(plans[account.plan].sessionsMax - 1);
  await tx.delete(sessions).where(inArray(sessions.tokenHash, surplus));
}

/** The sessions with these hashes that have not expired and whose account is active. */
export async function findActiveSessions(db: DbOrTx, tokenHashes: string[]): Promise<ActiveSession[]> {
  return db
    .select({
      tokenHash: sessions.tokenHash,
      id: sessions.id,
      accountId: sessions.accountId,
      plan: accounts.plan,
      email: accounts.email,
      emailVerified: sql<boolean>`${accounts.emailVerifiedAt} IS NOT NULL`,
      isStale: sql<boolean>`${sessions.lastUsedAt} < ${aMinuteAgo}`,
      isRenewable: sql<boolean>`${sessions.expiresAt} < ${dayOldTerm}`,
    })
    .from(sessions)
    .innerJoin(accounts, eq(accounts.id, sessions.accountId))
    .where(and(inArray(sessions.tokenHash, tokenHashes), isAlive, eq(accounts.status, "active")))
    .limit(tokenHashes.length);
}

/**
 * Stores that a session was used now, at most once a minute, and renews it, at most once a day. An expired one stays
 * expired.
 */
export async function touchSession(db: DbOrTx, tokenHash: string): Promise<void> {
  await db
    .update(sessions)
    .set({
      lastUsedAt: sql`clock_timestamp()`,
      expiresAt: sql`CASE WHEN ${sessions.expiresAt} < ${dayOldTerm} THEN ${fullTerm} ELSE ${sessions.expiresAt} END`,
    })
    .where(
      and(
        eq(sessions.tokenHash, tokenHash),
        isAlive,
        sql`(${sessions.lastUsedAt} < ${aMinuteAgo} OR ${sessions.expiresAt} < ${dayOldTerm})`,
      ),
    );
}

export type SessionRow = Pick<
  typeof sessions.$inferSelect,
  "id" | "userAgent" | "createdAt" | "lastUsedAt" | "expiresAt"
>;

/** The sessions of an account that have not expired, at most `rowsMax`, most recently used first. */
export async function listSessions(db: DbOrTx, accountId: string, rowsMax: number): Promise<SessionRow[]> {
  return db
    .select({
      id: sessions.id,
      userAgent: sessions.userAgent,
      createdAt: sessions.createdAt,
      lastUsedAt: sessions.lastUsedAt,
      expiresAt: sessions.expiresAt,
    })
    .from(sessions)
    .where(and(eq(sessions.accountId, accountId), isAlive))
    .orderBy(desc(sessions.lastUsedAt), sessions.id)
    .limit(rowsMax);
}

/** Ends every session of an account except `keptId` (UUID). */
export async function deleteSessions(db: DbOrTx, accountId: string, keptId?: string): Promise<void> {
  await db
    .delete(sessions)
    .where(and(eq(sessions.accountId, accountId), keptId === undefined ? undefined : ne(sessions.id, keptId)));
}

/** Ends the sessions with these hashes. */
export async function deleteSessionsByHash(db: DbOrTx, tokenHashes: string[]): Promise<void> {
  if (tokenHashes.length > 0) await db.delete(sessions).where(inArray(sessions.tokenHash, tokenHashes));
}

const isAlive: SQL = gt(sessions.expiresAt, sql`clock_timestamp()`);
const aMinuteAgo = sql`clock_timestamp() - interval '1 minute'`;
/** When a session expires that starts or is renewed now. */
export const fullTerm = sql`clock_timestamp() + ${SESSION_DAYS} * interval '1 day'`;
const dayOldTerm = sql`clock_timestamp() + ${SESSION_DAYS - 1} * interval '1 day'`;
