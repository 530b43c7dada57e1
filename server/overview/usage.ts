import { readMonth } from "#db/queries/accounts/usage.ts";
import { type Usage, usageView } from "#domain/quota.ts";
import type { Ctx } from "../context.ts";

/** The current month (UTC, by the database's clock) of the caller's environment against its quota. */
export async function readUsage(ctx: Ctx): Promise<Usage> {
  const { scheduled, nextMonthMs } = await ctx.query(({ sql }) => readMonth(sql, ctx.tenant));
  return usageView({ epochMs: nextMonthMs - 1, plan: ctx.plan, limits: ctx.limits, env: ctx.tenant.env, scheduled });
}
