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

/** The usage period of an instant: its month in UTC, as YYYYMM. */
export function usagePeriod(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 7).replace("-", "");
}

/** The first instant of the usage period after that of an instant. */
export function nextPeriodMs(epochMs: number): number {
  const month = new Date(epochMs);
  return Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 1);
}

/** Quota and grace limit of an environment, schedules per month. `test` has no grace. */
export function quotaOf(plan: PlanLimits, env: Environment): { limit: number; graceLimit: number } {
  return env === "test"
    ? { limit: plan.testMonthlyQuota, graceLimit: plan.testMonthlyQuota }
    : { limit: plan.monthlyQuota, graceLimit: graceLimit(plan.monthlyQuota) };
}

/** Usage of one month and environment against its quota, as callers see it. */
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

/**
 * Extrapolates how many schedules the month will have, rounded; null during its first day, which is too short to
 * extrapolate from. `endsAtMs` is the first instant of the next month (UTC).
 */
export function projectedUsage({
  scheduled,
  nowMs,
  endsAtMs,
}: {
  scheduled: number;
  nowMs: number;
  endsAtMs: number;
}): number | null {
  const month = new Date(endsAtMs - 1);
  const startsAtMs = Date.UTC(month.getUTCFullYear(), month.getUTCMonth(), 1);
  const passedMs = nowMs - startsAtMs;
  return passedMs < DAY_MS ? null : Math.round((scheduled * (endsAtMs - startsAtMs)) / passedMs);
}

const DAY_MS = 86_400_000;
