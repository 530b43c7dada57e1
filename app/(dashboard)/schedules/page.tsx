import { List, Plus, ScrollText } from "lucide";
import { formatRange } from "#components/format/range.ts";
import { ApplyOnChange } from "#components/layout/apply-on-change.tsx";
import { AutoRefresh } from "#components/layout/auto-refresh.tsx";
import { FlashNotice } from "#components/schedules/flash-notice.tsx";
import { filterInWords } from "#components/schedules/operation-words.ts";
import { ScheduleTable } from "#components/schedules/schedule-table.tsx";
import { SchedulesEmpty, SchedulesNoMatch, SchedulesPageEmpty } from "#components/schedules/schedules-empty.tsx";
import { SelectionBar } from "#components/schedules/selection-bar.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { FilterForm, FilterSelect, FilterTimeRange } from "#components/ui/filter-form.tsx";
import { HiddenFields } from "#components/ui/hidden-fields.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { NarrowFilters } from "#components/ui/narrow-filters.tsx";
import { Pager } from "#components/ui/pager.tsx";
import { SEARCH_ENDED, SearchEnded } from "#components/ui/search-ended.tsx";
import { Tabs } from "#components/ui/tabs.tsx";
import { ACTED_ON } from "#domain/operations.ts";
import { installationOf } from "#server/sdk-package.ts";
import { dashboardPage, type Opened } from "../dashboard-page.tsx";
import { sameFiltersHref } from "../shared-filters.ts";
import { hrefIn, type View } from "../view.ts";
import { chipsOf, confirmHref, listedSchedules, listHref, sortLinks, tabsOf } from "./links.ts";
import {
  DUE_SUGGESTIONS,
  filterParams,
  PAGES_MAX,
  readScheduleListQuery,
  type ScheduleListQuery,
  SORTS,
  scopeOf,
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
        <ButtonLink kind="ghost" size="small" href={sameFiltersHref(view, "/logs")}>
          <Icon of={ScrollText} small />
          Their log
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
          problem={query.range.problem === undefined ? query.problem : undefined}
          hrefOf={(id) => hrefIn(view.env, `/schedules/${id}`)}
        />
        <Card aria-label="Schedules">{await listOf(ctx, view, query)}</Card>
      </>
    ),
  };
});

async function listOf(ctx: Opened["ctx"], view: View, query: ScheduleListQuery) {
  const { listing, counts, cancellable, rowsBefore, goesOn } = await readList(ctx, query);
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
  const ticked = view.params.select === "page" ? rows.length : 0;
  const further = goesOn && { href: listHref(view, goesOn), isNewestFirst: goesOn.after === undefined };
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
        <FilterTimeRange
          label="Due"
          zone={view.zone}
          value={query.range.text}
          problem={query.range.problem}
          suggestions={DUE_SUGGESTIONS}
        />
        <FilterSelect name="sort" label="Sorted" value={query.sort} options={SORTS} />
        <NarrowFilters values={view.params} />
        <ApplyOnChange total={total} isCapped={totalCapped} what="schedule" />
      </FilterForm>
      {rows.length === 0 ? (
        nothingOf(view, query, total, listing.isBounded && further)
      ) : (
        <form method="post" action="/schedules/select" data-selection autoComplete="off" className="group/rows">
          <HiddenFields values={{ env: view.env, back }} />
          <ScheduleTable
            schedules={listedSchedules(view, rows, back)}
            caption={`Schedules, ${SORTS[query.sort].toLowerCase()}`}
            now={view.now}
            zone={view.zone}
            isTicked={ticked > 0}
            sort={sortLinks(view, query.sort)}
          />
          <SelectionBar
            ticked={{
              all: ticked,
              cancellable: ticked > 0 ? rows.filter(({ status }) => ACTED_ON.cancel.includes(status)).length : 0,
            }}
            whole={{
              total,
              isCapped: totalCapped,
              rows: rows.length,
              filter: hrefIn("live", "", filterParams(query.filter)),
              selectPageHref: listHref(view, { page: view.params.page, select: "page" }),
              replayHref: confirmHref(view, "replay", { all: "1", ...filterParams(query.filter), back }),
              cancellable,
              cancelHref: confirmHref(view, "cancel", { all: "1", ...filterParams(query.filter), back }),
            }}
          />
        </form>
      )}
      {rows.length > 0 && (
        <Pager
          from={rowsBefore + 1}
          to={rowsBefore + rows.length}
          total={total}
          isCapped={totalCapped}
          previous={query.page > 1 && !query.after ? listHref(view, { page: String(query.page - 1) }) : undefined}
          next={further ? further.href : nextPage(view, query, hasMore)}
          note={
            listing.isBounded && further
              ? `${SEARCH_ENDED} ${further.isNewestFirst ? "Next searches the newest first." : "Next searches on."}`
              : hasMore && query.page === PAGES_MAX
                ? "Narrow the filter to see more."
                : "Refresh is paused while something is selected."
          }
        />
      )}
    </>
  );
}

function nextPage(view: View, { page }: ScheduleListQuery, hasMore: boolean): string | undefined {
  return hasMore && page < PAGES_MAX ? listHref(view, { page: String(page + 1) }) : undefined;
}

function nothingOf(
  view: View,
  { filter, range }: ScheduleListQuery,
  total: number,
  further: { href: string; isNewestFirst: boolean } | undefined,
) {
  if (further)
    return (
      <SearchEnded
        title="No schedule found so far"
        nextHref={further.href}
        next={further.isNewestFirst ? "Search the newest first" : "Search on"}
      />
    );
  if (total > 0) return <SchedulesPageEmpty firstHref={listHref(view, {})} />;
  const words = filterInWords(scopeOf(filter), view.zone, range.text && formatRange(range, view.zone));
  return <SchedulesNoMatch filter={words} resetHref={hrefIn(view.env, view.path)} />;
}
