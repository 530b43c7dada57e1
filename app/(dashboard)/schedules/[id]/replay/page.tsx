import { ReplayFailure } from "#components/schedules/replay-failure.tsx";
import { ScheduleSummary } from "#components/schedules/schedule-summary.tsx";
import { Confirm } from "#components/ui/confirm.tsx";
import { readScheduleInFull } from "#server/schedules/read-in-full.ts";
import { dashboardPage } from "../../../dashboard-page.tsx";
import { hrefIn } from "../../../view.ts";
import { scheduleLinks } from "../../schedule-links.ts";

export default dashboardPage("/schedules/[id]/replay", async ({ ctx, view, routeParams }) => {
  const schedule = await readScheduleInFull(ctx, routeParams.id ?? "", view.now);
  const page = hrefIn(view.env, `/schedules/${schedule.id}`);
  return {
    title: "Replay",
    documentTitle: "Replay a schedule",
    crumb: { href: page, label: schedule.id },
    narrow: true,
    body: (
      <>
        <ReplayFailure error={view.params.error} cloneHref={scheduleLinks(view.env, schedule.id).clone} />
        <ScheduleSummary schedule={schedule} zone={view.zone} href={page} />
        <Confirm
          title="Send this request again, now?"
          action={`/schedules/${schedule.id}/replay/confirm`}
          fields={{ id: schedule.id, env: view.env, key: crypto.randomUUID() }}
          label="Replay it"
          isDanger={false}
          keep={{ href: page, label: "Not now" }}
          reason={schedule.problems.replay ?? undefined}
        >
          <p>
            The same method, target, headers and payload go out at once, as a new schedule that counts in the
            month&rsquo;s quota. <b className="font-medium text-ink">The target may then get it twice</b>: a replay has
            its own webhook-id, so a receiver cannot tell that it is a repeat. The copy links to this schedule.
          </p>
        </Confirm>
      </>
    ),
  };
});
