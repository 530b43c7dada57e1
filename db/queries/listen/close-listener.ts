import { and, eq, sql } from "drizzle-orm";
import type { DbOrTx } from "../../orm.ts";
import { listeners } from "../../schema/index.ts";
import type { Listener } from "./open-listener.ts";

/**
 * Ends the lease of a listener `graceMs` from now, or when it ends anyway if that is earlier; changes nothing when another
 * stream has resumed it. A client that resumes it by then keeps its unanswered exchanges. After that, dispatchers end
 * them: the listener left.
 */
export async function closeListener(db: DbOrTx, { id, accountId, epoch }: Listener, graceMs: number): Promise<void> {
  // Rounded down, as it is stored in milliseconds: a lease that ends now is not ahead of the clock.
  const end = sql`date_trunc('milliseconds', clock_timestamp() + ${graceMs}::float8 * interval '1 millisecond')`;
  const until = sql`least(${listeners.leaseUntil}, ${end})`;
  await db
    .update(listeners)
    .set({ leaseUntil: until })
    .where(and(eq(listeners.id, id), eq(listeners.accountId, accountId), eq(listeners.epoch, epoch)));
}
