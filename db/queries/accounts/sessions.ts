import { and, desc, eq, inArray, ne, sql } from "drizzle-orm";
import type { PlanName, Plans } from "#domain/plans.ts";
import type { CallSource, RefusalReason } from "#domain/security-events.ts";
import { SESSION_DAYS, SESSION_DAYS_MAX } from "#domain/session-lifetime.ts";
import { generateSessionToken, hashSessionToken } from "#domain/session-token.ts";
import type { DbOrTx } from "../../orm.ts";
import { accounts, sessions } from "../../schema/index.ts";
import { lockName } from "../lock-name.ts";
import { type NewSecurityEvent, recordSecurityEvent } from "./security-events.ts";

export type FoundSession = {
  tokenHash: string;
  /** UUID. */
  id: string;
  accountId: string;
  plan: PlanName;
  /** Why it does not authenticate its account; null when it does. */
  refusal: Extract<RefusalReason, "expired" | "deactivated"> | null;
  email: string;
  emailVerified: boolean;
  /** The time since its sign-in, s. */
  ageS: number;
  /** True when `last_used_at` is more than a minute old. */
  isStale: boolean;
  /** True when the session was not renewed for a day, and may last longer than it would now. */
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
 * it, so the bound is exact. Returns how many sessions ended that had not expired.
 */
export async function makeRoomForSession(tx: DbOrTx, accountId: string, plans: Plans): Promise<number> {
  await lockSessions(tx, accountId);
  const [account] = await tx.select({ plan: accounts.plan }).from(accounts).where(eq(accounts.id, accountId)).limit(1);
  if (!account) throw new Error("a session needs an account");
  const surplus = tx
    .select({ tokenHash: sessions.tokenHash })
    .from(sessions)
    .where(eq(sessions.accountId, accountId))
    .orderBy(desc(isAlive), desc(sessions.lastUsedAt), sessions.id)
    .offset(plans[account.plan].sessionsMax - 1);
  const ended = await tx.delete(sessions).where(inArray(sessions.tokenHash, surplus)).returning(endedColumns);
  return ended.filter((session) => session.isAlive).length;
}

/** Serialises the calls that start sessions of an account. Not with its row, which creating schedules locks too. */
export async function lockSessions(tx: DbOrTx, accountId: string): Promise<void> {
  await lockName(tx, `sessions ${accountId}`);
}

/** The sessions with these hashes, expired or not, unless their account is deleted. */
export async function findSessionsByHash(db: DbOrTx, tokenHashes: string[]): Promise<FoundSession[]> {
  return db
    .select({
      tokenHash: sessions.tokenHash,
      id: sessions.id,
      accountId: sessions.accountId,
      plan: accounts.plan,
      refusal: sql<FoundSession["refusal"]>`CASE
        WHEN NOT ${isAlive} THEN 'expired' WHEN ${accounts.status} <> 'active' THEN 'deactivated' END`,
      email: accounts.email,
      emailVerified: sql<boolean>`${accounts.emailVerifiedAt} IS NOT NULL`,
      ageS: sql<number>`extract(epoch FROM clock_timestamp() - ${sessions.createdAt})::float8`,
      isStale: sql<boolean>`${sessions.lastUsedAt} < ${aMinuteAgo}`,
      isRenewable,
    })
    .from(sessions)
    .innerJoin(accounts, eq(accounts.id, sessions.accountId))
    .where(and(inArray(sessions.tokenHash, tokenHashes), ne(accounts.status, "deleted")))
    .limit(tokenHashes.length);
}

/**
 * Stores that a session was used now, at most once a minute, and renews it, at most once a day and within
 * `SESSION_DAYS_MAX`. An expired one stays expired.
 */
export async function touchSession(db: DbOrTx, tokenHash: string): Promise<void> {
  await db
    .update(sessions)
    .set({
      lastUsedAt: sql`clock_timestamp()`,
      expiresAt: sql`CASE WHEN ${isRenewable} THEN least(${fullTerm}, ${lastEnd}) ELSE ${sessions.expiresAt} END`,
    })
    .where(
      and(eq(sessions.tokenHash, tokenHash), isAlive, sql`(${sessions.lastUsedAt} < ${aMinuteAgo} OR ${isRenewable})`),
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
      expiresAt: sql<Date>`least(${sessions.expiresAt}, ${lastEnd})`.mapWith(sessions.expiresAt),
    })
    .from(sessions)
    .where(and(eq(sessions.accountId, accountId), isAlive))
    .orderBy(desc(sessions.lastUsedAt), sessions.id)
    .limit(rowsMax);
}

/** Whether an account still has the session `id` (UUID). */
export async function hasSession(db: DbOrTx, accountId: string, id: string): Promise<boolean> {
  const isThis = and(eq(sessions.accountId, accountId), eq(sessions.id, id), isAlive);
  return (await db.select({ id: sessions.id }).from(sessions).where(isThis).limit(1)).length > 0;
}

/** Ends one session of an account; false when it has none with this id (UUID). */
export async function deleteSession(db: DbOrTx, accountId: string, id: string): Promise<boolean> {
  const ended = await db
    .delete(sessions)
    .where(and(eq(sessions.accountId, accountId), eq(sessions.id, id), isAlive))
    .returning({ id: sessions.id });
  return ended.length > 0;
}

/** Ends every session of an account except `keptId` (UUID). Returns how many ended that had not expired. */
export async function deleteSessions(db: DbOrTx, accountId: string, keptId?: string): Promise<number> {
  const ended = await db
    .delete(sessions)
    .where(and(eq(sessions.accountId, accountId), keptId === undefined ? undefined : ne(sessions.id, keptId)))
    .returning(endedColumns);
  return ended.filter((session) => session.isAlive).length;
}

/**
 * Ends the sessions with these hashes, of any account. Those that had not expired are written to the security log of
 * their account.
 */
export async function endSessionsByHash(
  db: DbOrTx,
  tokenHashes: string[],
  by: Pick<NewSecurityEvent, "actor"> & CallSource,
): Promise<void> {
  if (tokenHashes.length === 0) return;
  await db.transaction(async (tx) => {
    const ended = await tx.delete(sessions).where(inArray(sessions.tokenHash, tokenHashes)).returning(endedColumns);
    for (const { id, accountId, isAlive: wasAlive } of ended) {
      if (wasAlive) await recordSecurityEvent(tx, { ...by, accountId, kind: "session_ended", subjectId: id });
    }
  });
}

/** Expiry of a session that starts now, or that is renewed now and has not reached `SESSION_DAYS_MAX`. */
export const fullTerm = sql`clock_timestamp() + ${SESSION_DAYS * 24} * interval '1 hour'`;
const dayOldTerm = sql`clock_timestamp() + ${(SESSION_DAYS - 1) * 24} * interval '1 hour'`;
const lastEnd = sql`${sessions.createdAt} + ${SESSION_DAYS_MAX * 24} * interval '1 hour'`;
const isRenewable = sql<boolean>`${sessions.expiresAt} < least(${dayOldTerm}, ${lastEnd})`;
// The second condition guards against an `expires_at` that is too late.
const isAlive = sql<boolean>`(${sessions.expiresAt} > clock_timestamp() AND ${lastEnd} > clock_timestamp())`;
const endedColumns = { id: sessions.id, accountId: sessions.accountId, isAlive };
const aMinuteAgo = sql`clock_timestamp() - interval '1 minute'`;
