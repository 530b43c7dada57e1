import { and, eq, sql } from "drizzle-orm";
import type { Db } from "../../orm.ts";
import { schedules, shards } from "../../schema/index.ts";

const LOCK_MS = 500;

/**
 * Returns when the claims of a shard that were running when it was called have ended: each of them holds the shard's row
 * (FOR KEY SHARE), and may have seen an account as it was before. Those that begin later see what is committed by now.
 * They wait meanwhile, so after `LOCK_MS` it gives up, with DatabaseUnavailable.
 */
export async function waitForRunningClaims(db: Db, shard: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(sql`SELECT set_config('lock_timeout', ${String(LOCK_MS)}, true)`);
    await tx.select({ id: shards.id }).from(shards).where(eq(shards.id, shard)).limit(1).for("update");
  });
}

/** Whether an attempt of the account is under way. */
export async function hasFiringSchedules(db: Db, shard: number, accountId: string): Promise<boolean> {
  const found = await db
    .select({ id: schedules.id })
    .from(schedules)
    .where(and(eq(schedules.shard, shard), eq(schedules.status, "firing"), eq(schedules.accountId, accountId)))
    .limit(1);
  return found.length > 0;
}
