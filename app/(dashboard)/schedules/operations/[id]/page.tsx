import { AutoRefresh } from "#components/layout/auto-refresh.tsx";
import { OperationProgress, OperationScope } from "#components/schedules/operation-progress.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { getOperation } from "#server/operations/get.ts";
import { presentOperation } from "#server/operations/present.ts";
import { dashboardPage } from "../../../dashboard-page.tsx";
import { hrefIn } from "../../../view.ts";
import { shownOperation } from "../shown.ts";

export default dashboardPage("/schedules/operations/[id]", async ({ ctx, view, routeParams, beat }) => {
  const operation = shownOperation(presentOperation(await getOperation(ctx, routeParams.id ?? "")));
  const isRunning = operation.status === "running";
  return {
    title: "Operation",
    crumb: { href: hrefIn(view.env, "/schedules/operations"), label: "Operations" },
    tools: isRunning && <AutoRefresh at={view.now.getTime()} href={hrefIn(view.env, view.path)} everyS={1} />,
    narrow: true,
    body: (
      <>
        {view.params.error && (
          <Notice kind="bad" announce="alert">
            It was not stopped: it had ended already, or the database could not do it.
          </Notice>
        )}
        <OperationProgress
          operation={operation}
          isDispatcherAlive={beat.isAlive}
          stopAction="/schedules/operations/stop"
          stopFields={{ env: view.env }}
        />
        <OperationScope operation={operation} zone={view.zone} />
      </>
    ),
  };
});
