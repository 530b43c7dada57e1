import { eq, sql } from "drizzle-orm";
import type { DbOrTx } from "../../orm.ts";
import { customerDeletions } from "../../schema/index.ts";

/** A try has this long, s, before another process may make one; each further one is twice as far off, an hour at most. */
const FIRST_WAIT_S = 30;
const WAIT_S_MAX = 3_600;

/** Takes the customer whose deletion is due longest for one try, or undefined when none is due. */
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

/** The customer is deleted: nothing is left to do. */
export async function finishCustomerDeletion(db: DbOrTx, customerId: string): Promise<void> {
  await db.delete(customerDeletions).where(eq(customerDeletions.customerId, customerId));
}
