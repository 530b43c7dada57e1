import { requestName } from "#components/format/request-name.ts";
import { ScheduleSummary } from "#components/schedules/schedule-summary.tsx";
import { Confirm } from "#components/ui/confirm.tsx";
import { readScheduleInFull } from "#server/schedules/read-in-full.ts";
import { dashboardPage } from "../../../dashboard-page.tsx";
import { hrefIn } from "../../../view.ts";

export default dashboardPage("/schedules/[id]/cancel", async ({ ctx, view, routeParams }) => {
  const schedule = await readScheduleInFull(ctx, routeParams.id ?? "", view.now);
  const page = hrefIn(view.env, `/schedules/${schedule.id}`);
  return {
    title: "Cancel",
    documentTitle: "Cancel a schedule",
    crumb: { href: page, label: requestName(schedule.method, schedule.targetUrl) },
    narrow: true,
    body: (
      <>
        <ScheduleSummary schedule={schedule} zone={view.zone} href={page} />
        <Confirm
          title="Cancel this schedule?"
          action={`/schedules/${schedule.id}/cancel/confirm`}
          fields={{ id: schedule.id, env: view.env }}
          label="Cancel it"
          keep={{ href: page, label: "Keep it" }}
          reason={schedule.problems.cancel ?? undefined}
        >
          <p>
            {schedule.status === "failed"
              ? `The remaining attempts are not made. ${schedule.attemptCount} ${schedule.attemptCount === 1 ? "was" : "were"} made already.`
              : "The request is not sent."}{" "}
            This cannot be undone; Replay sends the same request as a new schedule. It still counts in the month&rsquo;s
            quota.
          </p>
        </Confirm>
      </>
    ),
  };
});
