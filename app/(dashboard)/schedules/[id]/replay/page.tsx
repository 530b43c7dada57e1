import { requestName } from "#components/format/request-name.ts";
import { ReplayFailure } from "#components/schedules/replay-failure.tsx";
import { ReplayTime } from "#components/schedules/replay-time.tsx";
import { ScheduleSummary } from "#components/schedules/schedule-summary.tsx";
import { Confirm } from "#components/ui/confirm.tsx";
import { instantToRestore } from "#domain/schedule-actions.ts";
import { readScheduleInFull } from "#server/schedules/read-in-full.ts";
import { dashboardPage } from "../../../dashboard-page.tsx";
import { hrefIn } from "../../../view.ts";
import { scheduleLinks } from "../../schedule-links.ts";

export default dashboardPage("/schedules/[id]/replay", async ({ ctx, view, routeParams }) => {
  const schedule = await readScheduleInFull(ctx, routeParams.id ?? "", view.now);
  const page = hrefIn(view.env, `/schedules/${schedule.id}`);
  const restoredAt = instantToRestore(schedule, view.now);
  return {
    title: "Replay",
    documentTitle: "Replay a schedule",
    crumb: { href: page, label: requestName(schedule.method, schedule.targetUrl) },
    narrow: true,
    body: (
      <>
        <ReplayFailure error={view.params.error} cloneHref={scheduleLinks(view.env, schedule.id).clone} />
        <ScheduleSummary schedule={schedule} zone={view.zone} href={page} />
        <Confirm
          title={restoredAt ? "Send this request again?" : "Send this request again, now?"}
          action={`/schedules/${schedule.id}/replay/confirm`}
          fields={{ id: schedule.id, env: view.env, key: crypto.randomUUID() }}
          label="Replay it"
          isDanger={false}
          keep={{ href: page, label: "Not now" }}
          reason={schedule.problems.replay ?? undefined}
        >
          {restoredAt && <ReplayTime at={restoredAt} zone={view.zone} now={view.now} />}
          <p>
            The same method, target, headers and payload go out {restoredAt ? "at the chosen time" : "at once"}, as a
            new schedule that counts in the month&rsquo;s quota.{" "}
            <Duplicate isPossible={schedule.status !== "cancelled" || schedule.attemptCount > 0} /> The copy links to
            this schedule.
          </p>
        </Confirm>
      </>
    ),
  };
});

function Duplicate({ isPossible }: { isPossible: boolean }) {
  if (!isPossible) return "The cancelled one was never sent and stays as it is.";
  return (
    <>
      <b className="font-medium text-ink">The target may then get it twice</b>: a replay has its own webhook-id, so a
      receiver cannot tell that it is a repeat.
    </>
  );
}
