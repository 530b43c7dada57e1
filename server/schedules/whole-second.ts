import { readDatabaseClock } from "#db/queries/fleet/database-clock.ts";
import { wholeSecond } from "#domain/chosen-time.ts";
import type { Ctx } from "../context.ts";

/** The whole second (epoch ms) at which a wait ends that begins now by the database's clock, rounded up. `waitMs`: at least 1 s. */
export async function wholeSecondAfter(ctx: Ctx, waitMs: number): Promise<number> {
  const nowMs = await ctx.query(({ sql }) => readDatabaseClock(sql));
  return wholeSecond(nowMs + waitMs);
}
