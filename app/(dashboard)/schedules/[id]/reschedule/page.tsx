import { requestName } from "#components/format/request-name.ts";
import { RescheduleForm } from "#components/schedules/reschedule-form.tsx";
import { rescheduleProblem } from "#components/schedules/reschedule-problem.ts";
import { ScheduleSummary } from "#components/schedules/schedule-summary.tsx";
import { ErrorSummary } from "#components/ui/error-summary.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { chooseTime, timeOf } from "#domain/chosen-time.ts";
import { readScheduleInFull } from "#server/schedules/read-in-full.ts";
import { typedTimeOf } from "#server/schedules/typed-time.ts";
import { dashboardPage } from "../../../dashboard-page.tsx";
import { hrefIn } from "../../../view.ts";

export default dashboardPage("/schedules/[id]/reschedule", async ({ ctx, view, routeParams }) => {
  const schedule = await readScheduleInFull(ctx, routeParams.id ?? "", view.now);
  const page = hrefIn(view.env, `/schedules/${schedule.id}`);
  const { error } = view.params;
  const typed = error
    ? typedTimeOf(new URLSearchParams(view.params as Record<string, string>))
    : timeOf(schedule.fireAt, view.browserZone ?? "UTC");
  const problem = rescheduleProblem(error, chooseTime(typed, view.now.getTime()), typed.words !== "");
  return {
    title: "Reschedule",
    crumb: { href: page, label: requestName(schedule.method, schedule.targetUrl) },
    body: (
      <>
        {problem?.field ? (
          <ErrorSummary problems={[{ id: problem.field, message: problem.message }]} />
        ) : (
          problem && (
            <Notice kind="bad" announce="alert">
              <b>Not moved.</b> {schedule.problems.reschedule ?? problem.message}
            </Notice>
          )
        )}
        <ScheduleSummary schedule={schedule} zone={view.zone} href={page} />
        <RescheduleForm
          action={`/schedules/${schedule.id}/reschedule/confirm`}
          fields={{ id: schedule.id, env: view.env }}
          initial={typed}
          isEarly={error ? view.params.early === "1" : schedule.earlyFire}
          madeAtMs={view.now.getTime()}
          error={problem?.field ? { field: problem.field, message: problem.message } : undefined}
          reason={schedule.problems.reschedule ?? undefined}
          backHref={page}
        />
      </>
    ),
  };
});
