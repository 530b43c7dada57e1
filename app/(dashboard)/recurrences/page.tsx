import { RecurrencesEmpty, RecurrenceTable } from "#components/recurrences/recurrence-table.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { FormOutcome } from "#components/ui/form-outcome.tsx";
import { Pager } from "#components/ui/pager.tsx";
import { readPageNumber } from "#server/lists/list-query.ts";
import { RECURRENCE_PAGE } from "#server/recurrences/put-by-form.ts";
import { listRecurrencesInFull } from "#server/recurrences/read-in-full.ts";
import { dashboardPage } from "../dashboard-page.tsx";
import { hrefIn, hrefWith } from "../view.ts";
import { outcomeInWords } from "./outcome.ts";

const ROWS_PER_PAGE = 50;
const PAGES_MAX = 200;

export default dashboardPage("/recurrences", async ({ ctx, view }) => {
  const page = readPageNumber(view.params.page, PAGES_MAX);
  const offset = (page - 1) * ROWS_PER_PAGE;
  const { recurrences, total, hasMore } = await listRecurrencesInFull(ctx, { limit: ROWS_PER_PAGE, offset });
  const newHref = hrefIn(view.env, RECURRENCE_PAGE);
  return {
    title: "Recurrences",
    action: (
      <ButtonLink kind="primary" href={newHref}>
        New recurrence
      </ButtonLink>
    ),
    body: (
      <>
        <FormOutcome message={outcomeInWords(view.flash)} error={view.params.error} />
        <Card aria-label="Recurrences">
          {total === 0 ? (
            <RecurrencesEmpty newHref={newHref} baseUrl={ctx.config.baseUrl} env={view.env} />
          ) : (
            <>
              <RecurrenceTable
                recurrences={recurrences.map(({ next: [next], ...one }) => ({
                  ...one,
                  next: next ? new Date(next.fire_at) : null,
                  href: hrefIn(view.env, RECURRENCE_PAGE, { key: one.key }),
                }))}
                now={view.now}
                zone={view.zone}
              />
              <Pager
                from={Math.min(offset + 1, total)}
                to={Math.min(offset + recurrences.length, total)}
                total={total}
                previous={page > 1 ? hrefWith(view, { page: String(page - 1) }) : undefined}
                next={hasMore ? hrefWith(view, { page: String(page + 1) }) : undefined}
              />
            </>
          )}
        </Card>
      </>
    ),
  };
});
