import { Plus } from "lucide";
import { AutoRefresh } from "#components/layout/auto-refresh.tsx";
import { DispatcherDown } from "#components/overview/dispatcher-down.tsx";
import { FirstSteps, type StepsDone } from "#components/overview/first-steps.tsx";
import { LatenessCard } from "#components/overview/lateness-card.tsx";
import { RecentlyFired, UpcomingSchedules } from "#components/overview/nearest.tsx";
import { NeedsAttention } from "#components/overview/needs-attention.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Segments } from "#components/ui/tabs.tsx";
import type { Ctx } from "#server/context.ts";
import { readFirstSteps } from "#server/overview/first-steps.ts";
import { type Nearest, readNearest } from "#server/overview/nearest.ts";
import { type Overview, readOverview } from "#server/overview/overview.ts";
import { installationOf } from "#server/sdk-package.ts";
import type { Opened, Shown } from "../dashboard-page.tsx";
import { hrefIn, type View } from "../view.ts";
import { nearIn } from "./near.ts";
import { chosenPeriod, PERIOD_WORDS, periodChoices } from "./period.ts";

const HOUR_MS = 3_600_000;

/** The overview: how late the account's requests left, what needs attention, and the first steps of a new account. */
export async function showOverview({ ctx, view, beat }: Opened): Promise<Shown> {
  const period = chosenPeriod(view.params.period, ctx.limits.retentionDays);
  const [overview, near] = await Promise.all([readOverview(ctx, period), readNearest(ctx)]);
  const steps = isBeginning(near, view) ? await readFirstSteps(ctx) : null;
  return {
    title: "Overview",
    tools: <Tools ctx={ctx} view={view} />,
    action: (
      <ButtonLink kind="primary" href={hrefIn(view.env, "/schedules/new")}>
        <Icon of={Plus} />
        New schedule
      </ButtonLink>
    ),
    body: (
      <>
        <DispatcherDown beat={beat} now={view.now} zone={view.zone} />
        {steps && <Beginning {...{ ctx, view }} done={{ ...steps, hasSent: near.latest.length > 0 }} />}
        {(steps === null || steps.hasSchedule) && <Figures {...{ overview, near, view }} />}
      </>
    ),
  };
}

function Tools({ ctx, view }: { ctx: Ctx; view: View }) {
  return (
    <>
      <AutoRefresh at={view.now.getTime()} href={hrefIn(view.env, view.path, view.params)} everyS={10} />
      <Segments label="Period" choices={periodChoices(view, ctx.plan, ctx.config.plans)} />
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
        ...{ keys: inEnv("/keys"), newKey: inEnv("/keys/new") },
        ...{ newSchedule: inEnv("/schedules/new"), schedules: inEnv("/schedules") },
      }}
    />
  );
}

function Figures({ overview, near, view }: { overview: Overview; near: Nearest; view: View }) {
  const { period, span, series, schedules } = overview;
  const { words, bucket } = PERIOD_WORDS[period];
  const schedulesIn = (query: Record<string, string>) => hrefIn(view.env, "/schedules", query);
  const seen = { now: view.now, zone: view.zone };
  return (
    <>
      <LatenessCard
        shown={{
          active: schedules.active,
          volume: overview.recentVolume,
          successRate: overview.successRate,
          offsets: overview.offsetMs,
          histogram: overview.histogram,
          buckets: series.map((step, at) => ({
            ...step,
            startsAt: new Date(span.startsAt.getTime() + at * span.stepMs),
          })),
        }}
        period={words}
        bucket={bucket}
        zone={view.zone}
        links={{ schedules: schedulesIn({ status: "scheduled,firing,failed" }), logs: hrefIn(view.env, "/logs") }}
      />
      <div className="grid grid-cols-1 items-start gap-5 min-[72rem]:grid-cols-[minmax(0,1.7fr)_minmax(0,1fr)]">
        <RecentlyFired
          schedules={near.latest.map((one) => nearIn(view.env, one))}
          allHref={hrefIn(view.env, "/logs")}
          {...seen}
        />
        <div className="grid grid-cols-1 gap-5">
          <NeedsAttention
            failed={{ count: schedules.failed, href: schedulesIn({ status: "failed" }) }}
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
          />
          <UpcomingSchedules
            schedules={near.next.map((one) => nearIn(view.env, one))}
            allHref={schedulesIn({ status: "scheduled", sort: "fire_at" })}
            {...seen}
          />
        </div>
      </div>
    </>
  );
}
