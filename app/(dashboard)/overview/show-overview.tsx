import { Plus } from "lucide";
import { AutoRefresh } from "#components/layout/auto-refresh.tsx";
import { DispatcherDown } from "#components/overview/dispatcher-down.tsx";
import { FirstSteps, type StepsDone } from "#components/overview/first-steps.tsx";
import { LatenessCard } from "#components/overview/lateness-card.tsx";
import { RecentlyFired, UpcomingSchedules } from "#components/overview/nearest.tsx";
import { NeedsAttention } from "#components/overview/needs-attention.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { RangeForm } from "#components/ui/range-form.tsx";
import { Segments } from "#components/ui/tabs.tsx";
import type { Ctx } from "#server/context.ts";
import { type RangeQuery, readRangeQuery } from "#server/lists/range-query.ts";
import { readFirstSteps } from "#server/overview/first-steps.ts";
import { type Incidents, readOwnIncidents } from "#server/overview/incidents.ts";
import { type Nearest, readNearest } from "#server/overview/nearest.ts";
import { deliveredInTheEnd, type Overview, readOverview } from "#server/overview/overview.ts";
import { installationOf } from "#server/sdk-package.ts";
import type { Opened, Shown } from "../dashboard-page.tsx";
import { hrefIn, type View } from "../view.ts";
import { answersOf } from "./answers.ts";
import { incidentIn } from "./incidents.ts";
import { nearIn } from "./near.ts";
import { chosenPeriod, OVERVIEW_SUGGESTIONS, periodChoices, spanInWords } from "./period.ts";

const HOUR_MS = 3_600_000;
const INCIDENTS_SHOWN = 6;

/** The overview: how late the account's requests left, what needs attention, and the first steps of a new account. */
export async function showOverview({ ctx, view, beat }: Opened): Promise<Shown> {
  const period = chosenPeriod(view.params.period, ctx.limits.retentionDays);
  const range = readRangeQuery(view.params, { nowMs: view.now.getTime(), zone: view.zone, lean: "past" });
  const wanted = (range.from ?? range.to) ? { fromMs: msOf(range.from), toMs: msOf(range.to) } : undefined;
  const reading = readOverview(ctx, period, wanted);
  const [overview, near, incidents] = await Promise.all([
    ...([reading, readNearest(ctx)] as const),
    reading.then(({ span }) => readOwnIncidents(ctx, span, INCIDENTS_SHOWN)),
  ]);
  const isGone = wanted !== undefined && !overview.isOfRange;
  const steps = isBeginning(near, view) ? await readFirstSteps(ctx) : null;
  return {
    title: "Overview",
    tools: <Tools ctx={ctx} view={view} range={range} isOfRange={overview.isOfRange} />,
    action: (
      <ButtonLink kind="primary" href={hrefIn(view.env, "/schedules/new")}>
        <Icon of={Plus} />
        New schedule
      </ButtonLink>
    ),
    body: (
      <>
        {(range.problem !== undefined || isGone) && (
          <Notice kind="warn">{range.problem ?? nothingKept(ctx.limits.retentionDays)}</Notice>
        )}
        <DispatcherDown beat={beat} now={view.now} zone={view.zone} />
        {steps && <Beginning ctx={ctx} view={view} done={{ ...steps, hasSent: near.latest.length > 0 }} />}
        {(steps === null || steps.hasSchedule) && (
          <Figures overview={overview} incidents={incidents} near={near} view={view} />
        )}
      </>
    ),
  };
}

const msOf = (at: Date | undefined) => at?.getTime() ?? null;

const nothingKept = (days: number) =>
  `Nothing is kept of that range: attempts are kept for ${days} days, and nothing was sent in the future.`;

function Tools({ ctx, view, range, isOfRange }: { ctx: Ctx; view: View; range: RangeQuery; isOfRange: boolean }) {
  return (
    <>
      <AutoRefresh at={view.now.getTime()} href={hrefIn(view.env, view.path, view.params)} everyS={10} />
      <Segments label="Period" choices={periodChoices(view, ctx.plan, ctx.config.plans, isOfRange)} />
      <RangeForm
        action={view.path}
        kept={{ env: view.env === "test" ? "test" : undefined }}
        zone={view.zone}
        value={range.text}
        isInvalid={range.problem !== undefined}
        suggestions={OVERVIEW_SUGGESTIONS}
      />
    </>
  );
}

/** Whether no request has left yet, or the first one within the last hour. */
function isBeginning({ latest: [first, second] }: Nearest, view: View): boolean {
  if (second !== undefined) return false;
  return first === undefined || view.now.getTime() - (first.firedAtMs ?? first.fireAtMs) < HOUR_MS;
}

function Beginning({ ctx, view, done }: { ctx: Ctx; view: View; done: StepsDone }) {
  const inEnv = (path: string) => hrefIn(view.env, path);
  return (
    <FirstSteps
      installation={installationOf(ctx.config.baseUrl)}
      env={view.env}
      done={done}
      links={{
        keys: inEnv("/keys"),
        newKey: inEnv("/keys/new"),
        newSchedule: inEnv("/schedules/new"),
        schedules: inEnv("/schedules"),
      }}
    />
  );
}

function Figures({
  overview,
  incidents,
  near,
  view,
}: {
  overview: Overview;
  incidents: Incidents;
  near: Nearest;
  view: View;
}) {
  const { span, series, schedules } = overview;
  const { words, bucket } = spanInWords(overview, view.zone);
  const answers = answersOf(view, overview);
  const schedulesIn = (query: Record<string, string>) => hrefIn(view.env, "/schedules", query);
  const seen = { now: view.now, zone: view.zone };
  const startOf = (step: number) => new Date(span.startsAt.getTime() + step * span.stepMs);
  return (
    <>
      <NeedsAttention
        incidents={incidents.groups.map((group) => incidentIn(view, group))}
        more={{ count: incidents.total - incidents.groups.length, href: schedulesIn({ status: "dead,failed" }) }}
        isCapped={incidents.isCapped}
        retrying={{ count: schedules.failed, href: schedulesIn({ status: "failed" }) }}
        dead={{ count: schedules.dead, href: schedulesIn({ status: "dead" }) }}
        dueSoon={{
          count: schedules.dueSoon,
          href: schedulesIn({
            status: "scheduled",
            sort: "fire_at",
            to: new Date(view.now.getTime() + HOUR_MS).toISOString(),
          }),
        }}
        period={words}
        {...seen}
      />
      <LatenessCard
        shown={{
          active: schedules.active,
          volume: overview.recentVolume,
          successRate: overview.successRate,
          offsets: overview.offsetMs,
          histogram: overview.histogram,
          deliveredRate: deliveredInTheEnd(overview),
          buckets: series.map((step, at) => ({ ...step, startsAt: startOf(at) })),
          outcomes: overview.outcomes.map((outcomes, at) => ({ outcomes, startsAt: startOf(at) })),
        }}
        period={words}
        bucket={bucket}
        stepMs={span.stepMs}
        zone={view.zone}
        answers={answers}
        endsNow={span.startsAt.getTime() + span.steps * span.stepMs > view.now.getTime()}
        links={{
          schedules: schedulesIn({ status: "scheduled,firing,failed" }),
          logs: answers.attempts,
          late: answers.late,
        }}
      />
      <div className="grid grid-cols-1 items-start gap-5 min-[72rem]:grid-cols-[minmax(0,1.7fr)_minmax(0,1fr)]">
        <RecentlyFired
          schedules={near.latest.map((one) => nearIn(view.env, one))}
          allHref={overview.isOfRange ? answers.attempts : hrefIn(view.env, "/logs")}
          {...seen}
        />
        <UpcomingSchedules
          schedules={near.next.map((one) => nearIn(view.env, one))}
          allHref={schedulesIn({ status: "scheduled", sort: "fire_at" })}
          {...seen}
        />
      </div>
    </>
  );
}
