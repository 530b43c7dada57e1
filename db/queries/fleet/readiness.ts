import { and, gt, isNull, sql } from "drizzle-orm";
import { DISPATCHER_ALIVE_MS } from "#domain/timing.ts";
import type { DbOrTx } from "../../orm.ts";
import { dispatchers } from "../../schema/index.ts";

/** Whether any dispatcher is alive: it has not stopped, and its last heartbeat is recent. */
export async function hasLivingDispatcher(db: DbOrTx): Promise<boolean> {
  const alive = await db
    .select({ id: dispatchers.id })
    .from(dispatchers)
    .where(
      and(
        isNull(dispatchers.stoppedAt),
        gt(dispatchers.beatAt, sql`clock_timestamp() - ${DISPATCHER_ALIVE_MS} * interval '1 millisecond'`),
      ),
    )
    .limit(1);
  return alive.length > 0;
}
