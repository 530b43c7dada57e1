import { Send } from "lucide";
import { AttemptTable } from "#components/attempts/attempt-table.tsx";
import { LogEmpty, LogNoMatch } from "#components/attempts/log-states.tsx";
import { LogTail } from "#components/attempts/log-tail.tsx";
import { RetentionNote } from "#components/attempts/retention-note.tsx";
import { ApplyOnChange } from "#components/layout/apply-on-change.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { FilterForm, FilterSelect, FilterTimeRange } from "#components/ui/filter-form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { NarrowFilters } from "#components/ui/narrow-filters.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Pager } from "#components/ui/pager.tsx";
import { SEARCH_ENDED, SearchEnded } from "#components/ui/search-ended.tsx";
import { Tabs } from "#components/ui/tabs.tsx";
import { encodeId } from "#domain/ids.ts";
import { dashboardPage } from "../dashboard-page.tsx";
import { sameFiltersHref } from "../shared-filters.ts";
import { hrefIn, hrefWith } from "../view.ts";
import { chipsOf, logHref, newerHref, sortLinks } from "./links.ts";
import { ORDERS, readLogListQuery, SENT_SUGGESTIONS } from "./list-query.ts";
import { readLog } from "./read-log.ts";

export default dashboardPage("/logs", async ({ ctx, view }) => {
  const query = readLogListQuery(view.params, view);
  const { rows, tail, isBounded, ...pages } = await readLog(ctx, view, query);
  const chips = chipsOf(view, query);
  const { outcome, q } = query.input;
  const resetHref = hrefIn(view.env, view.path);
  const ignored = query.invalid.filter((name) => name !== "range");
  const isFiltered = chips.length > 0 || outcome !== undefined;
  const { retentionDays } = ctx.limits;
  const longer = ctx.config.stripe && ctx.plan === "free" ? ctx.config.plans.indie.retentionDays : 0;
  const attempts = rows.map((row) => {
    const id = encodeId("sch", row.scheduleId);
    const href = hrefIn(view.env, `/schedules/${id}`);
    return { ...row, scheduleId: id, href, onlyHref: logHref(view, { schedule_id: id }) };
  });
  return {
    title: "Logs",
    tools: (
      <ButtonLink kind="ghost" size="small" href={sameFiltersHref(view, "/schedules")}>
        <Icon of={Send} small />
        Their schedules
      </ButtonLink>
    ),
    body: (
      <>
        {ignored.length > 0 && <Notice kind="warn">Ignored, because not valid: {ignored.join(", ")}.</Notice>}
        <Card aria-label="Attempts">
          <Tabs
            label="Outcome"
            tabs={OUTCOMES.map(({ value, label }) => ({
              label,
              href: logHref(view, { outcome: value }),
              isCurrent: outcome === value,
            }))}
          />
          <FilterForm
            label="Filter attempts"
            action={view.path}
            kept={{
              outcome,
              schedule_id: view.params.schedule_id,
              measured: view.params.measured,
              env: view.env === "test" ? "test" : undefined,
            }}
            q={q}
            chips={chips}
            resetHref={resetHref}
          >
            <FilterTimeRange
              label="Sent"
              zone={view.zone}
              value={query.range.text}
              problem={query.range.problem}
              suggestions={SENT_SUGGESTIONS}
            />
            <FilterSelect name="sort" label="Sorted" value={query.input.sort} options={ORDERS} />
            <NarrowFilters values={view.params} />
            <ApplyOnChange total={pages.total} isCapped={pages.isCapped} what="attempt" />
          </FilterForm>
          {tail && (
            <LogTail
              key={view.now.getTime()}
              countHref={newerHref(view, query, tail.since)}
              known={tail.known}
              listHref={hrefWith(view, { page: undefined, after: undefined })}
            />
          )}
          {rows.length > 0 ? (
            <AttemptTable attempts={attempts} zone={view.zone} now={view.now} sort={sortLinks(view, query)} />
          ) : isBounded && pages.next ? (
            <SearchEnded title="No attempt found so far" nextHref={pages.next} next="Search on" />
          ) : isFiltered || pages.total > 0 ? (
            <LogNoMatch chips={chips.map(({ label }) => label)} outcome={outcome} resetHref={resetHref} />
          ) : (
            <LogEmpty retentionDays={retentionDays} newHref={hrefIn(view.env, "/schedules/new")} />
          )}
          <Pager
            {...pages}
            note={
              isBounded && rows.length > 0 ? (
                `${SEARCH_ENDED} Next searches on.`
              ) : (
                <RetentionNote days={retentionDays} longer={longer} accountHref={hrefIn(view.env, "/account")} />
              )
            }
          />
        </Card>
      </>
    ),
  };
});

const OUTCOMES = [
  { value: undefined, label: "All" },
  { value: "succeeded", label: "Succeeded" },
  { value: "failed", label: "Failed" },
] as const;
