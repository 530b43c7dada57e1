import { AttemptTable } from "#components/attempts/attempt-table.tsx";
import { LogEmpty, LogNoMatch } from "#components/attempts/log-states.tsx";
import { LogTail } from "#components/attempts/log-tail.tsx";
import { RetentionNote } from "#components/attempts/retention-note.tsx";
import { Card } from "#components/ui/card.tsx";
import { FilterForm, FilterRange, FilterSelect } from "#components/ui/filter-form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Pager } from "#components/ui/pager.tsx";
import { Tabs } from "#components/ui/tabs.tsx";
import { encodeId } from "#domain/ids.ts";
import { dashboardPage } from "../dashboard-page.tsx";
import { hrefIn, hrefWith } from "../view.ts";
import { chipsOf, logHref, newerHref } from "./links.ts";
import { CODE_NAMES, RANGES, readLogListQuery } from "./list-query.ts";
import { readLog } from "./read-log.ts";

export default dashboardPage("/logs", async ({ ctx, view }) => {
  const query = readLogListQuery(view.params, view);
  const { rows, tail, ...pages } = await readLog(ctx, view, query);
  const chips = chipsOf(view, query);
  const { outcome, q, code } = query.input;
  const resetHref = hrefIn(view.env, view.path);
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
    body: (
      <>
        {query.invalid.length > 0 && (
          <Notice kind="warn">Ignored, because not valid: {query.invalid.join(", ")}.</Notice>
        )}
        <Card aria-label="Attempts">
          <Tabs
            label="Outcome"
            tabs={OUTCOMES.map(({ value, label }) => ({
              ...{ label, href: logHref(view, { outcome: value }), isCurrent: outcome === value },
            }))}
          />
          <FilterForm
            label="Filter attempts"
            action={view.path}
            kept={{ outcome, schedule_id: view.params.schedule_id, env: view.env === "test" ? "test" : undefined }}
            {...{ q, chips, resetHref }}
          >
            <FilterSelect name="code" label="Code" value={code} any="Any code" options={CODE_NAMES} />
            <FilterSelect name="range" label="Attempted" value={query.range} any="All that is kept" options={RANGES} />
            <FilterRange from={view.params.from} to={view.params.to} zone={view.zone} toTheSecond />
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
            <AttemptTable attempts={attempts} zone={view.zone} now={view.now} />
          ) : isFiltered || pages.total > 0 ? (
            <LogNoMatch chips={chips.map(({ label }) => label)} outcome={outcome} resetHref={resetHref} />
          ) : (
            <LogEmpty retentionDays={retentionDays} newHref={hrefIn(view.env, "/schedules/new")} />
          )}
          <Pager
            {...pages}
            note={<RetentionNote days={retentionDays} longer={longer} accountHref={hrefIn(view.env, "/account")} />}
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
