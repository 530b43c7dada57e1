import { readMonth } from "#db/queries/accounts/usage.ts";
import type { Environment } from "#domain/environment.ts";
import { projectedUsage, type Usage, usageView } from "#domain/quota.ts";
import type { Ctx } from "../context.ts";

/** Usage of a month: when it was read, when the month ends, and the extrapolated total (null during the first day). */
export type MonthUsage = Usage & { now: Date; endsAt: Date; projected: number | null };

/** The current month (UTC, by the database's clock) of the caller's environment against its quota. */
export async function readUsage(ctx: Ctx): Promise<Usage> {
  const { now, endsAt, projected, ...usage } = await readMonthUsage(ctx);
  return usage;
}

/** The response body of GET /v1/usage: `readUsage`, and what the plan allows for a call. */
export async function readUsageAndLimits(ctx: Ctx) {
  const { bulkItemsMax, payloadBytesMax, requestsPerMinute } = ctx.limits;
  const limits = {
    bulk_items: bulkItemsMax,
    payload_bytes: payloadBytesMax,
    requests_per_minute: requestsPerMinute,
  };
  return { ...(await readUsage(ctx)), limits };
}

/** As `readUsage`, for any environment of the account, with the end of the month and the extrapolated total. */
export async function readMonthUsage(ctx: Ctx, env: Environment = ctx.tenant.env): Promise<MonthUsage> {
  const month = await ctx.query(({ sql }) => readMonth(sql, { ...ctx.tenant, env }));
  const { scheduled, nowMs, nextMonthMs } = month;
  const usage = usageView({ epochMs: nextMonthMs - 1, plan: ctx.plan, limits: ctx.limits, env, scheduled });
  const projected = projectedUsage({ scheduled, nowMs, endsAtMs: nextMonthMs });
  return { ...usage, now: new Date(nowMs), endsAt: new Date(nextMonthMs), projected };
}
