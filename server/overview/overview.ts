import type { OverviewInput } from "#contract/inputs/overview-input.ts";
import { HOSTS_MAX, INCIDENTS_MAX } from "#contract/overview.ts";
import { nothingKept } from "#contract/refusals.ts";
import { readHostTotals } from "#db/queries/attempts/host-totals.ts";
import { readSpanCounts } from "#db/queries/attempts/span-counts.ts";
import { readDatabaseClock } from "#db/queries/fleet/database-clock.ts";
import { readScheduleFigures, type ScheduleFigures } from "#db/queries/schedules/figures.ts";
import type { HostTotals } from "#domain/host-counts.ts";
import {
  type OverviewFigures,
  overviewFigures,
  overviewSpan,
  PERIODS,
  type Period,
  periodAround,
  type Span,
} from "#domain/overview.ts";
import { rangeSpan } from "#domain/range-span.ts";
import type { TimeRange } from "#domain/range-text.ts";
import { type StepOutcomes, stepOutcomes } from "#domain/step-outcomes.ts";
import type { Ctx } from "../context.ts";
import { type Incidents, presentIncident, readOwnIncidents } from "./incidents.ts";

export type Overview = OverviewFigures & {
  period: Period;
  isOfRange: boolean;
  span: Span;
  schedules: ScheduleFigures;
  /** How the attempts of each step of the span ended, the oldest first. */
  outcomes: StepOutcomes[];
};

/**
 * The figures of the caller's environment over a period, or over the hours of a `range`, within the plan's retention window. A
 * range of which nothing is kept gives those of the period.
 */
export async function readOverview(ctx: Ctx, period: Period, range?: TimeRange): Promise<Overview> {
  const nowMs = await ctx.query(({ sql }) => readDatabaseClock(sql));
  const { retentionDays } = ctx.limits;
  const ofRange = range ? rangeSpan(range, retentionDays, nowMs) : null;
  const span = ofRange ?? overviewSpan(period, retentionDays, nowMs);
  const [counts, schedules] = await Promise.all([
    ctx.query(({ db }) => readSpanCounts(db, ctx.tenant, span)),
    ctx.query(({ sql }) => readScheduleFigures(sql, ctx.tenant, span.startsAt, endOf(span))),
  ]);
  const outcomes = stepOutcomes(counts, span.steps);
  return { ...overviewFigures(counts, span.steps), period, isOfRange: ofRange !== null, span, schedules, outcomes };
}

const endOf = ({ startsAt, stepMs, steps }: Span) => new Date(startsAt.getTime() + steps * stepMs);

/** The figures, with what failed and how the attempts to each host ended. */
export type WholeOverview = Overview & { incidents: Incidents; hosts: HostTotals[] };

/**
 * `readOverview` with the incidents of the period and the totals of its hosts, each at most as many as an answer has. Throws
 * VALIDATION for a range of which nothing is kept.
 */
export async function readWholeOverview(ctx: Ctx, input: OverviewInput): Promise<WholeOverview> {
  const { period = PERIODS[0], from, to } = input;
  const range = (from ?? to) && { fromMs: from?.getTime() ?? null, toMs: to?.getTime() ?? null };
  const overview = await readOverview(ctx, period, range);
  if (range && !overview.isOfRange) throw nothingKept(ctx.limits, from === undefined ? "to" : "from");
  const [incidents, hosts] = await Promise.all([
    readOwnIncidents(ctx, overview.span, INCIDENTS_MAX),
    ctx.query(({ sql }) => readHostTotals(sql, ctx.tenant, overview.span, HOSTS_MAX)),
  ]);
  return { ...overview, incidents, hosts };
}

/** The share of schedules that were delivered, of those that an attempt of the period ended; null where none ended. */
export function deliveredInTheEnd(overview: Pick<Overview, "outcomes" | "schedules">): number | null {
  const { delivered, dead } = endedIn(overview);
  return delivered + dead === 0 ? null : delivered / (delivered + dead);
}

// Each delivery ends its schedule.
function endedIn({ outcomes, schedules }: Pick<Overview, "outcomes" | "schedules">) {
  return { delivered: outcomes.reduce((sum, step) => sum + step["2xx"], 0), dead: schedules.dead };
}

const presentEnded = (overview: Overview) => ({
  ...endedIn(overview),
  success_rate: deliveredInTheEnd(overview) ?? 0,
});

const presentOutcomes = (outcomes: StepOutcomes) => ({
  code_2xx: outcomes["2xx"],
  code_3xx: outcomes["3xx"],
  code_4xx: outcomes["4xx"],
  code_5xx: outcomes["5xx"],
  code_none: outcomes.none,
  interrupted: outcomes.interrupted,
});

/** The overview as callers see it. */
export function presentOverview({ hosts, incidents, ...overview }: WholeOverview) {
  const { period, isOfRange, span, series, schedules, ...figures } = overview;
  const at = (step: number) => new Date(span.startsAt.getTime() + step * span.stepMs).toISOString();
  return {
    period: isOfRange ? periodAround(span.steps * span.stepMs) : period,
    from: at(0),
    to: at(span.steps),
    active_schedules: schedules.active,
    success_rate: figures.successRate,
    offset_ms: figures.offsetMs,
    recent_volume: figures.recentVolume,
    histogram: figures.histogram,
    series: series.map((bucket, step) => ({ t: at(step), ...bucket })),
    outcomes: figures.outcomes.map((outcomes, step) => ({ t: at(step), ...presentOutcomes(outcomes) })),
    ended: presentEnded(overview),
    incidents: incidents.groups.map(presentIncident),
    hosts: hosts.map(({ host, attempts, outcomes, dead, lastError }) => {
      return { host, attempts, ...presentOutcomes(outcomes), dead, last_error: lastError };
    }),
    needs_attention: { failed: schedules.failed, due_soon: schedules.dueSoon, dead: schedules.dead },
  };
}
