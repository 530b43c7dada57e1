import { and, eq, sql } from "drizzle-orm";
import type { Db } from "../../orm.ts";
import { schedules, shards } from "../../schema/index.ts";

const LOCK_MS = 500;

/**
 * Waits until the claims of a shard that are running now have ended. They may have seen an account as it was before.
 * Each of them holds the shard's row (FOR KEY SHARE), which this locks. Later claims wait meanwhile, and see what is
 * committed by now. Gives up after `LOCK_MS`, with DatabaseUnavailable.
 */
export async function waitForRunningClaims(db: Db, shard: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(sql`SELECT set_config('lock_timeout', ${String(LOCK_MS)}, true)`);
    await tx.select({ id: shards.id }).from(shards).where(eq(shards.id, shard)).limit(1).for("update");
  });
}

/** Whether an attempt of the account is running. */
export async function hasFiringSchedules(db: Db, shard: number, accountId: string): Promise<boolean> {
  const found = await db
    .select({ id: schedules.id })
    .from(schedules)
    .where(and(eq(schedules.shard, shard), eq(schedules.status, "firing"), eq(schedules.accountId, accountId)))
    .limit(1);
  return found.length > 0;
}
