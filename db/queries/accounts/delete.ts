import { and, eq, sql } from "drizzle-orm";
import type { Db } from "../../orm.ts";
import { accounts } from "../../schema/index.ts";
import { revokeApiKeys } from "./api-keys.ts";
import { deleteIdentities } from "./identities.ts";
import { type NewSecurityEvent, recordSecurityEvent } from "./security-events.ts";
import { deleteSessions } from "./sessions.ts";
import { deleteSignInTokens } from "./sign-in-tokens.ts";
import { queueCustomerDeletion } from "./subscriptions.ts";

type Deleter = Pick<NewSecurityEvent, "actor" | "actorId" | "network" | "userAgent">;

/**
 * Deletes an active account: from here on it creates, claims and authenticates nothing. One transaction sets the status
 * (waiting for creates that have begun), revokes the account's credentials and deletes the magic links that wait for its
 * address. It also queues its customer for deletion at the billing provider, and writes to the security log who did it.
 * Retention erases its rows later. Returns shard and address of the account; undefined when it is not active.
 */
export async function deleteActiveAccount(
  db: Db,
  id: string,
  by: Deleter,
): Promise<{ shard: number; email: string } | undefined> {
  return db.transaction(async (tx) => {
    const [row] = await tx
      .update(accounts)
      .set({ status: "deleted", deletedAt: sql`clock_timestamp()`, updatedAt: sql`clock_timestamp()` })
      .where(and(eq(accounts.id, id), eq(accounts.status, "active")))
      .returning({ shard: accounts.shard, email: accounts.email });
    if (!row) return undefined;
    await deleteSessions(tx, id);
    await revokeApiKeys(tx, id);
    await deleteIdentities(tx, id);
    await deleteSignInTokens(tx, row.email);
    await queueCustomerDeletion(tx, id);
    await recordSecurityEvent(tx, { ...by, accountId: id, kind: "account_deleted" });
    return row;
  });
}
