import { and, desc, eq, gt, isNull, ne, type SQL, sql } from "drizzle-orm";
import { apiKeyPreview, generateApiKey, hashApiKey } from "#domain/api-key.ts";
import type { Environment } from "#domain/environment.ts";
import { AppError, DailyLimitReached, Unauthorized } from "#domain/errors.ts";
import { newId } from "#domain/ids.ts";
import type { PlanLimits, PlanName } from "#domain/plans.ts";
import type { RefusalReason } from "#domain/security-events.ts";
import type { DbOrTx } from "../../orm.ts";
import { accounts, apiKeys } from "../../schema/index.ts";
import { lockName } from "../lock-name.ts";
import { isOwnedBy } from "./owned-by.ts";
import { hasSession } from "./sessions.ts";
import type { Tenant } from "./tenant.ts";

export type FoundApiKey = {
  id: string;
  accountId: string;
  env: Environment;
  name: string;
  plan: PlanName;
  /** Why it does not authenticate its account; null when it does. */
  refusal: RefusalReason | null;
  /** When it expired or will; null for a key that nobody rotated with an overlap. */
  expiresAt: Date | null;
  /** True when `last_used_at` is more than a minute old. */
  isStale: boolean;
};

export type ApiKeyRow = Pick<typeof apiKeys.$inferSelect, keyof typeof apiKeyColumns>;

/** A key with its raw value, which is not stored. `isNew`: this call has stored it. */
export type RawApiKey = ApiKeyRow & { key: string; isNew: boolean };

type WantedApiKey = { accountId: string; env: Environment; name: string };

/** The session (UUID) that a key is made with. One that has ended meanwhile makes none. */
type BySession = { sessionId?: string | undefined };

export type ApiKeyLimits = Pick<PlanLimits, "apiKeysMax" | "apiKeysPerDay">;

/**
 * Makes an API key. `key` is its raw value, which is not stored. Throws CONFLICT when the account has `apiKeysMax` keys
 * that are in force, and RATE_LIMITED when it made `apiKeysPerDay` within 24 hours; concurrent calls do not get past
 * the limits either. `prepared` is a raw value to use; when the account has stored it already, returns that key and
 * stores nothing.
 */
export async function createApiKey(
  db: DbOrTx,
  { sessionId, ...wanted }: WantedApiKey & BySession,
  limits: ApiKeyLimits,
  prepared?: string,
): Promise<RawApiKey> {
  return db.transaction(async (tx) => {
    await lockKeys(tx, wanted.accountId, sessionId);
    const stored = prepared && (await findOwnApiKey(tx, wanted.accountId, prepared));
    if (stored) return stored;
    await assertHasRoom(tx, wanted.accountId, limits);
    await assertMadeFewToday(tx, wanted.accountId, limits);
    return insertApiKey(tx, wanted, prepared);
  });
}

/**
 * Serialises the calls that make or end keys of an account, so that each counts the keys of the calls before it. Not with the
 * account's row, which creating schedules locks too. Throws UNAUTHORIZED when the session that makes a key has ended meanwhile.
 */
export async function lockKeys(tx: DbOrTx, accountId: string, sessionId?: string): Promise<void> {
  await lockName(tx, `api-keys ${accountId}`);
  if (sessionId === undefined || (await hasSession(tx, accountId, sessionId))) return;
  throw new Unauthorized("This session has ended. Sign in again.");
}

async function assertHasRoom(tx: DbOrTx, accountId: string, { apiKeysMax }: ApiKeyLimits): Promise<void> {
  const inForce = await tx.$count(apiKeys, and(eq(apiKeys.accountId, accountId), isInForce));
  if (inForce < apiKeysMax) return;
  throw new AppError(
    "CONFLICT",
    `This account has ${apiKeysMax} API keys that are not revoked, and may not have more.`,
  );
}

// The oldest of `max` keys is the next to become older than a day.
async function assertMadeFewToday(tx: DbOrTx, accountId: string, { apiKeysPerDay: max }: ApiKeyLimits): Promise<void> {
  const [full] = await tx
    .select({ waitS: sql<number>`ceil(extract(epoch FROM ${apiKeys.createdAt} - ${aDayAgo}))::integer` })
    .from(apiKeys)
    .where(and(eq(apiKeys.accountId, accountId), gt(apiKeys.createdAt, aDayAgo)))
    .orderBy(desc(apiKeys.createdAt))
    .offset(max - 1)
    .limit(1);
  if (full) throw new DailyLimitReached(`This account made ${max} API keys within 24 hours.`, Math.max(1, full.waitS));
}

async function insertApiKey(
  db: DbOrTx,
  wanted: WantedApiKey,
  key: string = generateApiKey(wanted.env),
): Promise<RawApiKey> {
  const [row] = await db
    .insert(apiKeys)
    .values({ id: newId(Date.now()), ...wanted, hash: hashApiKey(key), last4: apiKeyPreview(key).last4 })
    .returning(apiKeyColumns);
  if (!row) throw new Error("the API key was not stored");
  return { ...row, key, isNew: true };
}

async function findOwnApiKey(db: DbOrTx, accountId: string, key: string): Promise<RawApiKey | undefined> {
  const isThis = and(eq(apiKeys.accountId, accountId), eq(apiKeys.hash, hashApiKey(key)));
  const [row] = await db.select(apiKeyColumns).from(apiKeys).where(isThis).limit(1);
  return row && { ...row, key, isNew: false };
}

/** The keys of an account, at most `rowsMax`: those in force before the others, newest first. */
export async function listApiKeys(db: DbOrTx, accountId: string, rowsMax: number): Promise<ApiKeyRow[]> {
  return db
    .select(apiKeyColumns)
    .from(apiKeys)
    .where(eq(apiKeys.accountId, accountId))
    .orderBy(desc(isInForce), desc(apiKeys.createdAt), desc(apiKeys.id))
    .limit(rowsMax);
}

export type Rotation = BySession & {
  /** How long the old key stays in force beside its replacement, whole hours. With 0 it is revoked at once. */
  overlapHours: number;
  /** Raw values for the replacement. When the account has stored one of them already, the rotation returns that key. */
  prepared?: Readonly<Record<Environment, string>> | undefined;
};

/**
 * Revokes a key, or lets it expire after an overlap, and makes another of the same name and environment; undefined when the
 * account has no such key that is neither revoked nor rotated. Throws RATE_LIMITED as `createApiKey` does, and CONFLICT when
 * both keys would be too many; the old key then stays as it is.
 */
export async function rotateApiKey(
  db: DbOrTx,
  accountId: string,
  id: string,
  limits: ApiKeyLimits,
  { overlapHours, prepared, sessionId }: Rotation,
): Promise<RawApiKey | undefined> {
  const end = sql`${now} + ${overlapHours} * interval '1 hour'`;
  return db.transaction(async (tx) => {
    await lockKeys(tx, accountId, sessionId);
    const [old] = await tx
      .update(apiKeys)
      .set(overlapHours === 0 ? { revokedAt: end } : { revokedAt: end, expiresAt: end })
      .where(and(isOwn(accountId, id), isNull(apiKeys.revokedAt)))
      .returning({ env: apiKeys.env, name: apiKeys.name });
    if (old) {
      if (overlapHours > 0) await assertHasRoom(tx, accountId, limits);
      await assertMadeFewToday(tx, accountId, limits);
      return insertApiKey(tx, { accountId, ...old }, prepared?.[old.env]);
    }
    if (prepared === undefined) return undefined;
    return (await findOwnApiKey(tx, accountId, prepared.live)) ?? findOwnApiKey(tx, accountId, prepared.test);
  });
}

/** Revokes a key that is in force, at once. Returns its name and environment; undefined when the account has no such key. */
export async function revokeApiKey(
  db: DbOrTx,
  accountId: string,
  id: string,
): Promise<Pick<ApiKeyRow, "name" | "env"> | undefined> {
  const [revoked] = await db
    .update(apiKeys)
    .set({ revokedAt: now, expiresAt: null })
    .where(and(isOwn(accountId, id), isInForce))
    .returning({ name: apiKeys.name, env: apiKeys.env });
  return revoked;
}

/** Revokes every key of an account that is in force, and returns them. */
export async function revokeApiKeys(db: DbOrTx, accountId: string): Promise<Pick<ApiKeyRow, "id" | "name" | "env">[]> {
  return db
    .update(apiKeys)
    .set({ revokedAt: now, expiresAt: null })
    .where(and(eq(apiKeys.accountId, accountId), isInForce))
    .returning({ id: apiKeys.id, name: apiKeys.name, env: apiKeys.env });
}

/** Whether the account has the key `id`, active or revoked. */
export async function hasApiKey(db: DbOrTx, accountId: string, id: string): Promise<boolean> {
  const found = await db.select({ id: apiKeys.id }).from(apiKeys).where(isOwn(accountId, id)).limit(1);
  return found.length > 0;
}

/** Whether the account has the key `id`, active or revoked, in its live environment. */
export async function isLiveApiKey(db: DbOrTx, accountId: string, id: string): Promise<boolean> {
  const isLive = and(isOwn(accountId, id), eq(apiKeys.env, "live"));
  const found = await db.select({ id: apiKeys.id }).from(apiKeys).where(isLive).limit(1);
  return found.length > 0;
}

/** Whether a tenant has a key that is in force. */
export async function hasActiveApiKey(db: DbOrTx, tenant: Tenant): Promise<boolean> {
  const isActive = and(isOwnedBy(apiKeys, tenant), isInForce);
  const found = await db.select({ id: apiKeys.id }).from(apiKeys).where(isActive).limit(1);
  return found.length > 0;
}

/** The key with this SHA-256, revoked or not, unless its account is deleted. */
export async function findApiKeyByHash(db: DbOrTx, hash: Buffer): Promise<FoundApiKey | undefined> {
  const [found] = await db
    .select({
      id: apiKeys.id,
      accountId: apiKeys.accountId,
      env: apiKeys.env,
      name: apiKeys.name,
      plan: accounts.plan,
      refusal: sql<FoundApiKey["refusal"]>`CASE
        WHEN ${isInForce} THEN CASE WHEN ${accounts.status} <> 'active' THEN 'deactivated' END
        WHEN ${apiKeys.expiresAt} IS NOT NULL THEN 'expired' ELSE 'revoked' END`,
      expiresAt: apiKeys.expiresAt,
      isStale: sql<boolean>`coalesce(${apiKeys.lastUsedAt} < ${aMinuteAgo}, true)`,
    })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .where(and(eq(apiKeys.hash, hash), ne(accounts.status, "deleted")))
    .limit(1);
  return found;
}

/** Stores that a key was used now, at most once a minute. */
export async function touchApiKey(db: DbOrTx, id: string): Promise<void> {
  await db
    .update(apiKeys)
    .set({ lastUsedAt: sql`clock_timestamp()` })
    .where(and(eq(apiKeys.id, id), sql`coalesce(${apiKeys.lastUsedAt} < ${aMinuteAgo}, true)`));
}

const aDayAgo = sql`(clock_timestamp() - interval '1 day')`;
const aMinuteAgo = sql`clock_timestamp() - interval '1 minute'`;

// Of the statement, so that two columns get the same instant; rounded down, so that it is never ahead of the clock.
const now = sql`date_trunc('milliseconds', statement_timestamp())`;
const isInForce = sql`(${apiKeys.revokedAt} IS NULL OR ${apiKeys.revokedAt} > clock_timestamp())`;

/** A key without its hash. */
export const apiKeyColumns = {
  id: apiKeys.id,
  name: apiKeys.name,
  env: apiKeys.env,
  last4: apiKeys.last4,
  createdAt: apiKeys.createdAt,
  lastUsedAt: apiKeys.lastUsedAt,
  /** Null while the key is in force. */
  revokedAt:
    sql<Date | null>`CASE WHEN ${apiKeys.revokedAt} <= clock_timestamp() THEN ${apiKeys.revokedAt} END`.mapWith(
      apiKeys.revokedAt,
    ),
  expiresAt: apiKeys.expiresAt,
};

function isOwn(accountId: string, id: string): SQL | undefined {
  return and(eq(apiKeys.id, id), eq(apiKeys.accountId, accountId));
}
