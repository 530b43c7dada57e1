import { List, Plus } from "lucide";
import { wallClockOf } from "#components/format/wall-clock.ts";
import { AutoRefresh } from "#components/layout/auto-refresh.tsx";
import { DidNotice } from "#components/schedules/did-notice.tsx";
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
import { type Asked, FIRES, filterParams, PAGES_MAX, readAsked, SORTS } from "./asked.ts";
import { chipsOf, confirmHref, listedSchedules, listHref, sortLinks, tabsOf } from "./links.ts";
import { ROWS_PER_PAGE, readList } from "./read-list.ts";

export default dashboardPage("/schedules", async ({ ctx, view }) => {
  const asked = readAsked(view.params, view);
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
        <DidNotice
          done={view.done}
          error={view.params.error}
          problem={asked.problem}
          hrefOf={(id) => hrefIn(view.env, `/schedules/${id}`)}
        />
        <Card aria-label="Schedules">{await listOf(ctx, view, asked)}</Card>
      </>
    ),
  };
});

async function listOf(ctx: Opened["ctx"], view: View, asked: Asked) {
  const { listing, counts } = await readList(ctx, asked);
  const { rows, total, totalCapped, hasMore } = listing;
  const isFiltered = Object.keys(asked.filter).length > 0;
  const resetHref = hrefIn(view.env, view.path);
  if (total === 0 && !isFiltered && asked.problem === undefined) {
    return (
      <SchedulesEmpty
        newHref={hrefIn(view.env, "/schedules/new")}
        keysHref={hrefIn(view.env, "/keys")}
        installation={installationOf(ctx.config.baseUrl)}
        env={view.env}
      />
    );
  }
  const { from, to } = asked.filter;
  const ticked = view.params.select === "page" ? rows.length : 0;
  const first = (asked.page - 1) * ROWS_PER_PAGE;
  const back = listHref(view, { page: view.params.page });
  return (
    <>
      <Tabs label="Status" tabs={tabsOf(view, asked, counts, listing)} />
      <FilterForm
        label="Filter schedules"
        action={view.path}
        kept={{ status: view.params.status, env: view.env === "test" ? "test" : undefined }}
        q={asked.filter.q}
        chips={chipsOf(view, asked)}
        resetHref={resetHref}
      >
        <FilterSelect name="fires" label="Fires" value={asked.fires} any="Fires at any time" options={FIRES} />
        <FilterRange
          from={from ? wallClockOf(from, view.zone) : undefined}
          to={to ? wallClockOf(to, view.zone) : undefined}
          zone={view.zone}
        />
        <FilterSelect name="sort" label="Sorted" value={asked.sort} options={SORTS} />
      </FilterForm>
      {rows.length === 0 ? (
        nothingOf(view, asked, total)
      ) : (
        <form method="post" action="/schedules/select" data-selection autoComplete="off" className="group/rows">
          <HiddenFields values={{ env: view.env, back }} />
          <ScheduleTable
            schedules={listedSchedules(view, rows, back)}
            caption={`Schedules, ${SORTS[asked.sort].toLowerCase()}`}
            {...{ now: view.now, zone: view.zone, isTicked: ticked > 0, sort: sortLinks(view, asked.sort) }}
          />
          <SelectionBar
            ticked={ticked}
            whole={{
              total,
              isCapped: totalCapped,
              selectPageHref: listHref(view, { page: view.params.page, select: "page" }),
              cancelHref: confirmHref(view, "cancel", { all: "1", ...filterParams(asked.filter), back }),
              replayHref: confirmHref(view, "replay", { all: "1", ...filterParams(asked.filter), back }),
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
          previous={asked.page > 1 ? listHref(view, { page: String(asked.page - 1) }) : undefined}
          next={hasMore && asked.page < PAGES_MAX ? listHref(view, { page: String(asked.page + 1) }) : undefined}
          note={
            hasMore && asked.page === PAGES_MAX
              ? "Narrow the filter to see more."
              : "Refresh is paused while something is selected."
          }
        />
      )}
    </>
  );
}

function nothingOf(view: View, { filter, fires }: Asked, total: number) {
  if (total > 0) return <SchedulesPageEmpty firstHref={listHref(view, {})} />;
  const { statuses = null, q = null, from = null, to = null } = filter;
  const firesWords = fires && fires !== "between" ? FIRES[fires].toLowerCase() : undefined;
  const words = filterInWords({ statuses, q, from, to }, view.zone, firesWords);
  return <SchedulesNoMatch asked={words} resetHref={hrefIn(view.env, view.path)} />;
}
