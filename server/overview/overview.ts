import { readSpanCounts } from "#db/queries/attempts/span-counts.ts";
import { readDatabaseClock } from "#db/queries/fleet/database-clock.ts";
import { readScheduleFigures, type ScheduleFigures } from "#db/queries/schedules/figures.ts";
import { type OverviewFigures, overviewFigures, overviewSpan, type Period, type Span } from "#domain/overview.ts";
import type { Ctx } from "../context.ts";

export type Overview = OverviewFigures & { period: Period; span: Span; schedules: ScheduleFigures };

/** The figures of the caller's environment over a period, within the plan's retention window. */
export async function readOverview(ctx: Ctx, period: Period): Promise<Overview> {
  const nowMs = await ctx.query(({ sql }) => readDatabaseClock(sql));
  const span = overviewSpan(period, ctx.limits.retentionDays, nowMs);
  const [counts, schedules] = await Promise.all([
    ctx.query(({ db }) => readSpanCounts(db, ctx.tenant, span)),
    ctx.query(({ sql }) => readScheduleFigures(sql, ctx.tenant, span.startsAt)),
  ]);
  return { ...overviewFigures(counts, span.steps), period, span, schedules };
}

/** The overview as callers see it. */
export function presentOverview({ period, span, series, schedules, ...figures }: Overview) {
  return {
    period,
    active_schedules: schedules.active,
    success_rate: figures.successRate,
    offset_ms: figures.offsetMs,
    recent_volume: figures.recentVolume,
    histogram: figures.histogram,
    series: series.map((bucket, step) => ({
      t: new Date(span.startsAt.getTime() + step * span.stepMs).toISOString(),
      ...bucket,
    })),
    needs_attention: { failed: schedules.failed, due_soon: schedules.dueSoon, dead: schedules.dead },
  };
}
