import { AutoRefresh } from "#components/layout/auto-refresh.tsx";
import { OperationsEmpty, OperationTable } from "#components/schedules/operation-table.tsx";
import { Card } from "#components/ui/card.tsx";
import { Pager } from "#components/ui/pager.tsx";
import { readPageNumber } from "#server/lists/list-query.ts";
import { listOwnOperations } from "#server/operations/list.ts";
import { presentOperation } from "#server/operations/present.ts";
import { dashboardPage } from "../../dashboard-page.tsx";
import { hrefIn, hrefWith } from "../../view.ts";
import { PAGES_MAX, ROWS_PER_PAGE } from "../list-query.ts";
import { shownOperation } from "./shown.ts";

export default dashboardPage("/schedules/operations", async ({ ctx, view }) => {
  const page = readPageNumber(view.params.page, PAGES_MAX);
  const offset = (page - 1) * ROWS_PER_PAGE;
  const { rows, hasMore, total } = await listOwnOperations(ctx, { limit: ROWS_PER_PAGE, offset });
  const operations = rows.map(presentOperation).map((operation) => ({
    ...shownOperation(operation),
    href: hrefIn(view.env, `/schedules/operations/${operation.id}`),
  }));
  return {
    title: "Operations",
    crumb: { href: hrefIn(view.env, "/schedules"), label: "Schedules" },
    tools: <AutoRefresh at={view.now.getTime()} href={hrefWith(view, {})} />,
    body: (
      <Card aria-label="Operations">
        {total === 0 ? <OperationsEmpty /> : <OperationTable operations={operations} now={view.now} zone={view.zone} />}
        {total > 0 && (
          <Pager
            from={Math.min(offset + 1, total)}
            to={Math.min(offset + rows.length, total)}
            total={total}
            previous={page > 1 ? hrefWith(view, { page: String(page - 1) }) : undefined}
            next={hasMore ? hrefWith(view, { page: String(page + 1) }) : undefined}
            note="Operations are kept for 90 days after they end."
          />
        )}
      </Card>
    ),
  };
});
