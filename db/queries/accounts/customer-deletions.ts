import { eq, sql } from "drizzle-orm";
import type { DbOrTx } from "../../orm.ts";
import { customerDeletions } from "../../schema/index.ts";

/** How long a try may take before another process may try, s. Each further wait is twice as long, an hour at most. */
const FIRST_WAIT_S = 30;
const WAIT_S_MAX = 3_600;

/** Claims the customer whose deletion has been due longest, for one try; undefined when none is due. */
export async function takeCustomerDeletion(db: DbOrTx): Promise<{ customerId: string; tries: number } | undefined> {
  const [taken] = await db.execute<{ customerId: string; tries: number }>(sql`
    UPDATE customer_deletions d SET tries = d.tries + 1,
      next_try_at = clock_timestamp() + least(${FIRST_WAIT_S} * 2 ^ least(d.tries, 20), ${WAIT_S_MAX}) * interval '1 second'
    WHERE d.customer_id = (
      SELECT customer_id FROM customer_deletions WHERE next_try_at <= clock_timestamp()
      ORDER BY next_try_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING d.customer_id AS "customerId", d.tries`);
  return taken;
}

/** Removes a customer who is deleted at the billing provider from the queue. */
export async function finishCustomerDeletion(db: DbOrTx, customerId: string): Promise<void> {
  await db.delete(customerDeletions).where(eq(customerDeletions.customerId, customerId));
}
