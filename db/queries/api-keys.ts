import { and, eq, isNull, sql } from "drizzle-orm";
import { apiKeyPreview, type Environment, generateApiKey, hashApiKey } from "#domain/api-key.ts";
import { newId } from "#domain/ids.ts";
import type { PlanName } from "#domain/plans.ts";
import type { DbOrTx } from "../orm.ts";
import { accounts, apiKeys } from "../schema/index.ts";

export type ActiveApiKey = {
  id: string;
  accountId: string;
  env: Environment;
  plan: PlanName;
  /** True when `last_used_at` is more than a minute old. */
  isStale: boolean;
};

/** Makes an API key. `key` is its raw value, which is stored nowhere. */
export async function createApiKey(
  db: DbOrTx,
  wanted: { accountId: string; env: Environment; name: string },
): Promise<{ id: string; key: string }> {
  const id = newId(Date.now());
  const key = generateApiKey(wanted.env);
  await db.insert(apiKeys).values({ id, ...wanted, hash: hashApiKey(key), last4: apiKeyPreview(key).last4 });
  return { id, key };
}

/** The key with this SHA-256, unless it is revoked or its account is not active. */
export async function findActiveApiKey(db: DbOrTx, hash: Buffer): Promise<ActiveApiKey | undefined> {
  const [found] = await db
    .select({
      id: apiKeys.id,
      accountId: apiKeys.accountId,
      env: apiKeys.env,
      plan: accounts.plan,
      isStale: sql<boolean>`coalesce(${apiKeys.lastUsedAt} < ${aMinuteAgo}, true)`,
    })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .where(and(eq(apiKeys.hash, hash), isNull(apiKeys.revokedAt), eq(accounts.status, "active")))
    .limit(1);
  return found;
}

/** Notes that a key was used just now, at most once a minute. */
export async function touchApiKey(db: DbOrTx, id: string): Promise<void> {
  await db
    .update(apiKeys)
    .set({ lastUsedAt: sql`clock_timestamp()` })
    .where(and(eq(apiKeys.id, id), sql`coalesce(${apiKeys.lastUsedAt} < ${aMinuteAgo}, true)`));
}

const aMinuteAgo = sql`clock_timestamp() - interval '1 minute'`;
