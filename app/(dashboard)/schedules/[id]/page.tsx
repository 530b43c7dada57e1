import { formatRelative } from "#components/format/duration.ts";
import { requestName, requestNameInHistory } from "#components/format/request-name.ts";
import { AutoRefresh } from "#components/layout/auto-refresh.tsx";
import { OperationResult } from "#components/schedules/operation-result.tsx";
import { RequestFacts } from "#components/schedules/request-facts.tsx";
import { ActionButtons, ActionsCard } from "#components/schedules/schedule-actions.tsx";
import { scheduleCommands } from "#components/schedules/schedule-commands.ts";
import { ScheduleCurl } from "#components/schedules/schedule-curl.tsx";
import { StatusSummary } from "#components/schedules/status-summary.tsx";
import { TimeFacts } from "#components/schedules/time-facts.tsx";
import { Timeline } from "#components/schedules/timeline.tsx";
import { instantToRestore } from "#domain/schedule-actions.ts";
import { isTerminal } from "#domain/states.ts";
import { RECURRENCE_PAGE } from "#server/recurrences/put-by-form.ts";
import { readScheduleInFull } from "#server/schedules/read-in-full.ts";
import { dashboardPage } from "../../dashboard-page.tsx";
import { hrefIn, hrefWith } from "../../view.ts";
import { scheduleLinks } from "../schedule-links.ts";

export default dashboardPage("/schedules/[id]", async ({ ctx, view, routeParams }) => {
  const schedule = await readScheduleInFull(ctx, routeParams.id ?? "", view.now);
  const links = scheduleLinks(view.env, schedule.id);
  const hrefOf = (id: string) => hrefIn(view.env, `/schedules/${id}`);
  const originalHref = schedule.replayOf ? hrefOf(schedule.replayOf) : undefined;
  const restoredAt = instantToRestore(schedule, view.now);
  const { failed, error } = view.params;
  const at = { zone: view.zone, now: view.now };
  return {
    title: requestName(schedule.method, schedule.targetUrl),
    documentTitle: requestNameInHistory(schedule.method, schedule.targetUrl),
    crumb: { href: hrefIn(view.env, "/schedules"), label: "Schedules" },
    tools: !isTerminal(schedule.status) && (
      <AutoRefresh
        at={view.now.getTime()}
        href={hrefWith(view, { failed: undefined, error: undefined })}
        everyS={isAboutToFire(schedule, view.now) ? 1 : 5}
      />
    ),
    action: <ActionButtons schedule={schedule} links={links} />,
    commands: scheduleCommands(schedule, links),
    body: (
      <>
        <OperationResult
          schedule={schedule}
          result={view.flash?.result}
          failed={failed}
          error={error}
          originalHref={originalHref}
          restore={
            restoredAt && schedule.problems.replay === null
              ? { href: links.replay, due: formatRelative(restoredAt, view.now) }
              : undefined
          }
        />
        <div className="grid grid-cols-1 items-start gap-5 min-[72rem]:grid-cols-[minmax(0,1fr)_21.5rem]">
          <div className="grid min-w-0 grid-cols-1 gap-5">
            <StatusSummary
              schedule={schedule}
              {...at}
              hrefOf={hrefOf}
              logHref={hrefIn(view.env, "/logs", { schedule_id: schedule.id })}
            />
            <Timeline schedule={schedule} {...at} />
          </div>
          <aside className="grid min-w-0 grid-cols-1 gap-5" aria-label="Facts">
            <RequestFacts
              schedule={schedule}
              env={view.env}
              hrefOf={hrefOf}
              recurrenceHref={
                schedule.recurrence === null
                  ? undefined
                  : hrefIn(view.env, RECURRENCE_PAGE, { key: schedule.recurrence })
              }
              operationHref={
                schedule.operationId ? hrefIn(view.env, `/schedules/operations/${schedule.operationId}`) : undefined
              }
            />
            <TimeFacts schedule={schedule} zone={view.browserZone} />
            <ActionsCard schedule={schedule} links={links} />
            <ScheduleCurl schedule={schedule} baseUrl={ctx.config.baseUrl} />
          </aside>
        </div>
      </>
    ),
  };
});

const SOON_MS = 10_000;
const UNDER_WAY_MS = 30_000;

/** Whether an attempt is due within seconds, or may be under way. */
function isAboutToFire({ fireAt, nextAttemptAt }: { fireAt: Date; nextAttemptAt: Date | null }, now: Date): boolean {
  const aheadMs = (nextAttemptAt ?? fireAt).getTime() - now.getTime();
  return aheadMs < SOON_MS && aheadMs > -UNDER_WAY_MS;
}
