import { countWaiting } from "#db/queries/search/count-waiting.ts";
import type { StatusCount } from "#db/queries/search/list-schedules.ts";
import type { Ctx } from "../context.ts";

/** How many of the caller's schedules wait for an attempt, as far as 10,000. */
export async function countOwnWaiting(ctx: Ctx): Promise<StatusCount> {
  return ctx.query(({ db }) => countWaiting(db, ctx.tenant));
}
