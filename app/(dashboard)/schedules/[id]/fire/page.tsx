import { formatInstant } from "#components/format/instant.ts";
import { requestName } from "#components/format/request-name.ts";
import { ScheduleSummary } from "#components/schedules/schedule-summary.tsx";
import { Confirm } from "#components/ui/confirm.tsx";
import { readScheduleInFull } from "#server/schedules/read-in-full.ts";
import { dashboardPage } from "../../../dashboard-page.tsx";
import { hrefIn } from "../../../view.ts";

export default dashboardPage("/schedules/[id]/fire", async ({ ctx, view, routeParams }) => {
  const schedule = await readScheduleInFull(ctx, routeParams.id ?? "", view.now);
  const page = hrefIn(view.env, `/schedules/${schedule.id}`);
  const moved = schedule.movedToNowAt?.toISOString() ?? "";
  return {
    title: "Send now",
    documentTitle: "Send a schedule now",
    crumb: { href: page, label: requestName(schedule.method, schedule.targetUrl) },
    narrow: true,
    body: (
      <>
        <ScheduleSummary schedule={schedule} zone={view.zone} href={page} />
        <Confirm
          title="Send this request now?"
          action={`/schedules/${schedule.id}/fire/confirm`}
          fields={{ id: schedule.id, env: view.env, moved }}
          label="Send it now"
          isDanger={false}
          keep={{ href: page, label: "Not now" }}
          reason={schedule.problems.fire ?? undefined}
        >
          <p>
            {schedule.status === "failed" && schedule.nextAttemptAt ? (
              <>
                Its next attempt is made now, instead of at{" "}
                <time dateTime={schedule.nextAttemptAt.toISOString()}>
                  {formatInstant(schedule.nextAttemptAt, view.zone)}
                </time>
                . The number of remaining attempts stays the same.
              </>
            ) : (
              "It is sent as soon as its turn comes, instead of at its scheduled instant. A sent request cannot be taken back."
            )}{" "}
            Nothing more counts in the month&rsquo;s quota.
          </p>
        </Confirm>
      </>
    ),
  };
});
