import { EventTable } from "#components/account/event-table.tsx";
import { Pager } from "#components/ui/pager.tsx";
import { readPageNumber } from "#server/lists/list-query.ts";
import { listOwnEvents } from "#server/security/list.ts";
import { presentEvent } from "#server/security/present.ts";
import { dashboardPage } from "../../dashboard-page.tsx";
import { hrefIn, hrefWith } from "../../view.ts";

const ROWS_PER_PAGE = 50;
const PAGES_MAX = 500;

export default dashboardPage("/account/events", async ({ ctx, view }) => {
  const page = readPageNumber(view.params.page, PAGES_MAX);
  const offset = (page - 1) * ROWS_PER_PAGE;
  const { rows, hasMore, total } = await listOwnEvents(ctx, { limit: ROWS_PER_PAGE, offset });
  return {
    title: "Security log",
    crumb: { href: hrefIn(view.env, "/account"), label: "Account and billing" },
    body: (
      <EventTable
        title="Sign-ins and changes to this account"
        events={rows.map(presentEvent)}
        empty={total > 0 ? "This page is past the end of the log." : undefined}
        foot={
          <Pager
            from={Math.min(offset + 1, total)}
            to={Math.min(offset + rows.length, total)}
            total={total}
            previous={page > 1 ? hrefWith(view, { page: String(page - 1) }) : undefined}
            next={hasMore ? hrefWith(view, { page: String(page + 1) }) : undefined}
            note="They are kept for 90 days, and at most 300 of each kind."
          />
        }
        now={view.now}
        zone={view.zone}
      />
    ),
  };
});
