import type { Environment } from "./environment.ts";
import { graceLimit, type PlanLimits, type PlanName } from "./plans.ts";

export type Usage = {
  period: string;
  plan: PlanName;
  scheduled: number;
  limit: number;
  grace_limit: number;
  over_limit: boolean;
};

/** The month (UTC) that creating at this instant counts in, as YYYYMM. */
export function usagePeriod(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 7).replace("-", "");
}

/** Schedules a month in an environment: the quota, and the number past which creating is refused. Test has no grace. */
export function quotaOf(plan: PlanLimits, env: Environment): { limit: number; graceLimit: number } {
  return env === "test"
    ? { limit: plan.testMonthlyQuota, graceLimit: plan.testMonthlyQuota }
    : { limit: plan.monthlyQuota, graceLimit: graceLimit(plan.monthlyQuota) };
}

/** The answer of GET /v1/usage for one month and environment, from the number of schedules created in it. */
export function usageView(usage: {
  epochMs: number;
  plan: PlanName;
  limits: PlanLimits;
  env: Environment;
  scheduled: number;
}): Usage {
  const quota = quotaOf(usage.limits, usage.env);
  return {
    period: usagePeriod(usage.epochMs),
    plan: usage.plan,
    scheduled: usage.scheduled,
    limit: quota.limit,
    grace_limit: quota.graceLimit,
    over_limit: usage.scheduled > quota.limit,
  };
}
