import { List, Plus } from "lucide";
import { wallClockOf } from "#components/format/wall-clock.ts";
import { AutoRefresh } from "#components/layout/auto-refresh.tsx";
import { FlashNotice } from "#components/schedules/flash-notice.tsx";
import { filterInWords } from "#components/schedules/operation-words.ts";
import { ScheduleTable } from "#components/schedules/schedule-table.tsx";
import { SchedulesEmpty, SchedulesNoMatch, SchedulesPageEmpty } from "#components/schedules/schedules-empty.tsx";
import { SelectionBar } from "#components/schedules/selection-bar.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { FilterForm, FilterRange, FilterSelect } from "#components/ui/filter-form.tsx";
import { HiddenFields } from "#components/ui/hidden-fields.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Pager } from "#components/ui/pager.tsx";
import { Tabs } from "#components/ui/tabs.tsx";
import { installationOf } from "#server/sdk-package.ts";
import { dashboardPage, type Opened } from "../dashboard-page.tsx";
import { hrefIn, type View } from "../view.ts";
import { chipsOf, confirmHref, listedSchedules, listHref, sortLinks, tabsOf } from "./links.ts";
import {
  FIRES,
  filterParams,
  PAGES_MAX,
  ROWS_PER_PAGE,
  readScheduleListQuery,
  type ScheduleListQuery,
  SORTS,
} from "./list-query.ts";
import { readList } from "./read-list.ts";

export default dashboardPage("/schedules", async ({ ctx, view }) => {
  const query = readScheduleListQuery(view.params, view);
  const own = listHref(view, {});
  return {
    title: "Schedules",
    tools: (
      <>
        <AutoRefresh at={view.now.getTime()} href={own} />
        <ButtonLink kind="ghost" size="small" href={hrefIn(view.env, "/schedules/operations")}>
          <Icon of={List} small />
          Operations
        </ButtonLink>
      </>
    ),
    action: (
      <ButtonLink kind="primary" href={hrefIn(view.env, "/schedules/new")}>
        <Icon of={Plus} />
        New schedule
      </ButtonLink>
    ),
    body: (
      <>
        <FlashNotice
          flash={view.flash}
          error={view.params.error}
          problem={query.problem}
          hrefOf={(id) => hrefIn(view.env, `/schedules/${id}`)}
        />
        <Card aria-label="Schedules">{await listOf(ctx, view, query)}</Card>
      </>
    ),
  };
});

async function listOf(ctx: Opened["ctx"], view: View, query: ScheduleListQuery) {
  const { listing, counts } = await readList(ctx, query);
  const { rows, total, totalCapped, hasMore } = listing;
  const isFiltered = Object.values(query.filter).some((value) => value !== undefined);
  const resetHref = hrefIn(view.env, view.path);
  if (total === 0 && !isFiltered && query.problem === undefined) {
    return (
      <SchedulesEmpty
        newHref={hrefIn(view.env, "/schedules/new")}
        keysHref={hrefIn(view.env, "/keys")}
        installation={installationOf(ctx.config.baseUrl)}
        env={view.env}
      />
    );
  }
  const { from, to } = query.filter;
  const ticked = view.params.select === "page" ? rows.length : 0;
  const first = (query.page - 1) * ROWS_PER_PAGE;
  const back = listHref(view, { page: view.params.page });
  return (
    <>
      <Tabs label="Status" tabs={tabsOf(view, query, counts, listing)} />
      <FilterForm
        label="Filter schedules"
        action={view.path}
        kept={{ status: view.params.status, env: view.env === "test" ? "test" : undefined }}
        q={view.params.q}
        chips={chipsOf(view, query)}
        resetHref={resetHref}
      >
        <FilterSelect name="fires" label="Fires" value={query.fires} any="Fires at any time" options={FIRES} />
        <FilterRange
          from={from ? wallClockOf(from, view.zone) : undefined}
          to={to ? wallClockOf(to, view.zone) : undefined}
          zone={view.zone}
        />
        <FilterSelect name="sort" label="Sorted" value={query.sort} options={SORTS} />
      </FilterForm>
      {rows.length === 0 ? (
        nothingOf(view, query, total)
      ) : (
        <form method="post" action="/schedules/select" data-selection autoComplete="off" className="group/rows">
          <HiddenFields values={{ env: view.env, back }} />
          <ScheduleTable
            schedules={listedSchedules(view, rows, back)}
            caption={`Schedules, ${SORTS[query.sort].toLowerCase()}`}
            {...{ now: view.now, zone: view.zone, isTicked: ticked > 0, sort: sortLinks(view, query.sort) }}
          />
          <SelectionBar
            ticked={ticked}
            whole={{
              total,
              isCapped: totalCapped,
              selectPageHref: listHref(view, { page: view.params.page, select: "page" }),
              cancelHref: confirmHref(view, "cancel", { all: "1", ...filterParams(query.filter), back }),
              replayHref: confirmHref(view, "replay", { all: "1", ...filterParams(query.filter), back }),
            }}
          />
        </form>
      )}
      {rows.length > 0 && (
        <Pager
          from={first + 1}
          to={first + rows.length}
          total={total}
          isCapped={totalCapped}
          previous={query.page > 1 ? listHref(view, { page: String(query.page - 1) }) : undefined}
          next={hasMore && query.page < PAGES_MAX ? listHref(view, { page: String(query.page + 1) }) : undefined}
          note={
            hasMore && query.page === PAGES_MAX
              ? "Narrow the filter to see more."
              : "Refresh is paused while something is selected."
          }
        />
      )}
    </>
  );
}

function nothingOf(view: View, { filter, fires }: ScheduleListQuery, total: number) {
  if (total > 0) return <SchedulesPageEmpty firstHref={listHref(view, {})} />;
  const { status: statuses = null, q = null, from = null, to = null } = filter;
  const firesWords = fires && fires !== "between" ? FIRES[fires].toLowerCase() : undefined;
  const words = filterInWords({ statuses, q, from, to }, view.zone, firesWords);
  return <SchedulesNoMatch filter={words} resetHref={hrefIn(view.env, view.path)} />;
}
