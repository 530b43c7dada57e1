import { AutoRefresh } from "#components/layout/auto-refresh.tsx";
import { deliveredInWords } from "#components/schedules/operation-copies.tsx";
import { OperationProgress, OperationScope, operationTitle } from "#components/schedules/operation-progress.tsx";
import { leftAloneTotal } from "#components/schedules/operation-words.ts";
import { ReloadWithoutScripts } from "#components/schedules/reload-without-scripts.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { copyProgress } from "#domain/copies-of-operation.ts";
import type { ScheduleStatus } from "#domain/states.ts";
import type { Ctx } from "#server/context.ts";
import { countOwnCopies } from "#server/operations/copies.ts";
import { getOperation } from "#server/operations/get.ts";
import { presentOperation } from "#server/operations/present.ts";
import { dashboardPage } from "../../../dashboard-page.tsx";
import { hrefIn, hrefWith, type View } from "../../../view.ts";
import { shownOperation } from "../shown.ts";

export default dashboardPage("/schedules/operations/[id]", async ({ ctx, view, routeParams, beat }) => {
  const presented = presentOperation(await getOperation(ctx, routeParams.id ?? ""));
  const operation = shownOperation(presented);
  const copies = operation.action === "replay" ? await readCopies(ctx, view, operation) : undefined;
  const isMoving = operation.status === "running" || copies?.progress.isSettled === false;
  const title = operationTitle(operation);
  return {
    title,
    documentTitle: copies && operation.acted > 0 ? `${deliveredInWords(copies.progress)} · ${title}` : title,
    crumb: { href: hrefIn(view.env, "/schedules/operations"), label: "Operations" },
    tools: isMoving && (
      <>
        <AutoRefresh at={view.now.getTime()} href={hrefWith(view, { error: undefined })} everyS={1} />
        {view.params.reload !== "off" && <ReloadWithoutScripts stopHref={hrefWith(view, { reload: "off" })} />}
      </>
    ),
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
          copies={copies}
          isDispatcherAlive={beat.isAlive}
          stopAction="/schedules/operations/stop"
          stopFields={{ env: view.env }}
        />
        <OperationScope operation={operation} listHref={listHref(view, presented.filter)} zone={view.zone} />
      </>
    ),
  };
});

/** The list of what a filter selects now. Its conditions are named as the parameters of the list. */
function listHref({ env }: View, filter: ReturnType<typeof presentOperation>["filter"]): string | undefined {
  if (filter === null) return undefined;
  const { status, ...others } = filter;
  const given = Object.entries(others).filter(([, value]) => value !== null);
  return hrefIn(env, "/schedules", { status: status?.join(","), ...Object.fromEntries(given) });
}

async function readCopies(ctx: Ctx, view: View, operation: ReturnType<typeof shownOperation>) {
  const counts = await countOwnCopies(ctx, operation.id);
  const leftAlone = leftAloneTotal(operation.leftAlone);
  const progress = copyProgress({ ...operation, isRunning: operation.status === "running", leftAlone }, counts);
  const hrefOf = (status?: ScheduleStatus) => hrefIn(view.env, "/schedules", { operation: operation.id, status });
  return { counts, progress, hrefOf };
}
