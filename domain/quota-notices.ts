import { graceLimit, type PlanLimits } from "./plans.ts";

export type QuotaLevel = 80 | 100 | 110;

/** The content of a quota notice. */
export type QuotaNotice = {
  level: QuotaLevel;
  /** The month, YYYYMM (UTC). */
  period: string;
  /** Live schedules created in it so far. */
  scheduled: number;
  limit: number;
  /** Creates above this number are rejected. */
  graceLimit: number;
  /** When the level was detected, epoch ms. */
  atMs: number;
};

/**
 * The numbers of live schedules per month at which the owner gets a notice: 80 % of the quota, the quota, and the grace
 * limit. Ascending. With a small quota several levels can have the same number; the highest level counts.
 */
export function quotaLevels({ monthlyQuota }: PlanLimits): { level: QuotaLevel; from: number }[] {
  return [
    { level: 80, from: Math.max(1, Math.ceil(monthlyQuota * 0.8)) },
    { level: 100, from: Math.max(1, monthlyQuota) },
    { level: 110, from: Math.max(1, graceLimit(monthlyQuota)) },
  ];
}

/** Extrapolates when the quota will be reached, epoch ms; null when that is after the end of the month. */
export function quotaReachedAtMs({ period, scheduled, limit, atMs }: QuotaNotice): number | null {
  const startMs = Date.UTC(Number(period.slice(0, 4)), Number(period.slice(4)) - 1);
  const reachedMs = startMs + ((atMs - startMs) * limit) / scheduled;
  return reachedMs < nextMonthMs(period) ? reachedMs : null;
}

/** When the month after `period` begins, epoch ms. */
export function nextMonthMs(period: string): number {
  return Date.UTC(Number(period.slice(0, 4)), Number(period.slice(4)));
}
