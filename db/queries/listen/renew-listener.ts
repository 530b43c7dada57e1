import { and, eq, gt, sql } from "drizzle-orm";
import type { DbOrTx } from "../../orm.ts";
import { listeners } from "../../schema/index.ts";
import { type Listener, leaseUntil } from "./open-listener.ts";

/**
 * Renews the lease of a listener for its stream. `replaced`: another stream has resumed it. `gone`: its lease ran out, or
 * the server lost it in a crash; the stream has to end, and may be opened anew.
 */
export async function renewListener(
  db: DbOrTx,
  { id, accountId, epoch }: Listener,
): Promise<"held" | "replaced" | "gone"> {
  const isOwn = and(eq(listeners.id, id), eq(listeners.accountId, accountId));
  const renewed = await db
    .update(listeners)
    .set({ leaseUntil })
    .where(and(isOwn, eq(listeners.epoch, epoch), gt(listeners.leaseUntil, sql`clock_timestamp()`)))
    .returning({ id: listeners.id });
  if (renewed.length > 0) return "held";
  const [row] = await db.select({ epoch: listeners.epoch }).from(listeners).where(isOwn).limit(1);
  return row && row.epoch !== epoch ? "replaced" : "gone";
}
