import { and, eq, sql } from "drizzle-orm";
import type { ListenerScope } from "#domain/listeners.ts";
import type { DbOrTx } from "../../orm.ts";
import { accounts, apiKeys, relaySettings } from "../../schema/index.ts";

/** `revoked`: the key is or has expired, or its account is not active. `closed`: the account does not allow the scope, or not any more. */
export type Permission = "allowed" | "revoked" | "closed";

/** Whether a key (UUID) of the account may listen with this scope. */
export async function mayListen(
  db: DbOrTx,
  accountId: string,
  { keyId, scope }: { keyId: string; scope: ListenerScope },
): Promise<Permission> {
  const [row] = await db
    .select({
      permission: sql<Permission>`CASE
        WHEN ${apiKeys.revokedAt} <= clock_timestamp() OR ${accounts.status} <> 'active' THEN 'revoked'
        WHEN ${scope} = 'all' AND coalesce(${relaySettings.testDeliveriesUntil} <= clock_timestamp(), true) THEN 'closed'
        ELSE 'allowed' END`,
    })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .leftJoin(relaySettings, eq(relaySettings.accountId, apiKeys.accountId))
    .where(and(eq(apiKeys.id, keyId), eq(apiKeys.accountId, accountId)))
    .limit(1);
  return row?.permission ?? "revoked";
}
