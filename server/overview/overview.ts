import { readScheduleFigures, readSpanCounts, type ScheduleFigures } from "#db/queries/account-figures.ts";
import { type OverviewFigures, overviewFigures, overviewSpan, type Period } from "#domain/overview.ts";
import type { Ctx } from "../context.ts";

export type Overview = OverviewFigures & {
  period: Period;
  startsAt: Date;
  stepHours: number;
  schedules: ScheduleFigures;
};

/** The figures of a period of the caller's environment, within the plan's retention window. */
export async function readOverview(ctx: Ctx, period: Period): Promise<Overview> {
  const span = overviewSpan(period, ctx.limits.retentionDays);
  const { startsAt, counts } = await ctx.query(({ sql }) => readSpanCounts(sql, ctx.tenant, span));
  const schedules = await ctx.query(({ sql }) => readScheduleFigures(sql, ctx.tenant, startsAt));
  return { ...overviewFigures(counts, span.steps), period, startsAt, stepHours: span.stepHours, schedules };
}

/** The overview as callers see it. */
export function presentOverview({ series, schedules, ...figures }: Overview) {
  const stepMs = figures.stepHours * 3_600_000;
  return {
    period: figures.period,
    active_schedules: schedules.active,
    success_rate: figures.successRate,
    offset_ms: figures.offsetMs,
    recent_volume: figures.recentVolume,
    series: series.map((bucket, step) => ({
      t: new Date(figures.startsAt.getTime() + step * stepMs).toISOString(),
      ...bucket,
    })),
    needs_attention: { failed: schedules.failed, due_soon: schedules.dueSoon, dead: schedules.dead },
  };
}
