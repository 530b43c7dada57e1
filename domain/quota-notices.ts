import { graceLimit, type PlanLimits } from "./plans.ts";

export type QuotaLevel = 80 | 100 | 110;

/** What a notice on the quota says. */
export type QuotaNotice = {
  level: QuotaLevel;
  /** The month, YYYYMM (UTC). */
  period: string;
  /** Live schedules created in it so far. */
  scheduled: number;
  limit: number;
  /** The last number that is accepted. */
  graceLimit: number;
  /** When it was noticed, epoch ms. */
  atMs: number;
};

/**
 * From how many live schedules a month on the owner is told: at 80 %, at the quota, and at the grace limit, from which on
 * nothing is accepted. Ascending; a small quota has levels that fall together, of which the highest counts.
 */
export function quotaLevels({ monthlyQuota }: PlanLimits): { level: QuotaLevel; from: number }[] {
  return [
    { level: 80, from: Math.max(1, Math.ceil(monthlyQuota * 0.8)) },
    { level: 100, from: Math.max(1, monthlyQuota) },
    { level: 110, from: Math.max(1, graceLimit(monthlyQuota)) },
  ];
}

/** At this pace, when the month's quota is reached (epoch ms); null when that is not within the month. */
export function quotaReachedAtMs({ period, scheduled, limit, atMs }: QuotaNotice): number | null {
  const startMs = Date.UTC(Number(period.slice(0, 4)), Number(period.slice(4)) - 1);
  const reachedMs = startMs + ((atMs - startMs) * limit) / scheduled;
  return reachedMs < nextMonthMs(period) ? reachedMs : null;
}

/** When the month after `period` begins, epoch ms. */
export function nextMonthMs(period: string): number {
  return Date.UTC(Number(period.slice(0, 4)), Number(period.slice(4)));
}
