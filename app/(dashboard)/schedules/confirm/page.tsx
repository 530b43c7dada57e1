import { ConfirmCard } from "#components/schedules/confirm-card.tsx";
import { FILTER_NAMES } from "#domain/filters.ts";
import { encodeId } from "#domain/ids.ts";
import { ACTED_ON, actedOnAmong, OPERATION_ACTIONS } from "#domain/operations.ts";
import { parseRedirectPath } from "#domain/redirect-path.ts";
import { STATUSES } from "#domain/states.ts";
import { readUsage } from "#server/overview/usage.ts";
import { findOwnSchedules } from "#server/schedules/get.ts";
import { listOwnSchedules } from "#server/schedules/list.ts";
import { dashboardPage } from "../../dashboard-page.tsx";
import { hrefIn } from "../../view.ts";
import { filterParams, readScheduleListQuery, scopeOf } from "../list-query.ts";

export default dashboardPage("/schedules/confirm", async ({ ctx, view }) => {
  const { params, env, zone } = view;
  const action = OPERATION_ACTIONS.find((one) => one === params.action) ?? "cancel";
  const { filter: asked, problem } = readScheduleListQuery(params, view);
  const statuses = actedOnAmong(action, asked.status);
  const filter = statuses.length === STATUSES.length ? asked : { ...asked, status: statuses };
  const isAsked = params.all === "1" || params.matching === "1";
  const isAll = isAsked && !hasLostFilter(params) && problem === undefined && statuses.length > 0;
  const ids = isAsked ? [] : (params.ids?.split(",") ?? []);
  const [usage, found, chosen] = await Promise.all([
    readUsage(ctx),
    isAll && listOwnSchedules(ctx, { ...filter, ...ONE }),
    findOwnSchedules(ctx, ids),
  ]);
  const applicable = chosen.filter(({ status }) => ACTED_ON[action].includes(status));
  const [only] = ids.length === 1 ? applicable : [];
  const scope = isAll
    ? scopeFields(filterParams(filter))
    : { ids: applicable.map(({ id }) => encodeId("sch", id)).join(",") };
  return {
    title: action === "cancel" ? "Cancel schedules" : "Replay schedules",
    crumb: { href: hrefIn(env, "/schedules"), label: "Schedules" },
    narrow: true,
    body: (
      <ConfirmCard
        action={action}
        count={found ? found.total : applicable.length}
        isCapped={found ? found.totalCapped : false}
        leftAlone={ids.length - applicable.length}
        only={only ? { method: only.method, url: only.targetUrl, fireAt: only.fireAt } : null}
        filter={isAll ? scopeOf(filter) : null}
        zone={zone}
        usage={usage}
        error={params.error}
        formAction="/schedules/start"
        // The form key makes a repeated submit idempotent.
        fields={{ action, ...scope, key: params.key ?? crypto.randomUUID(), env, back: params.back }}
        againHref={hrefIn(env, "/schedules/confirm", { ...params, error: undefined })}
        backHref={parseRedirectPath(params.back ?? "") ?? hrefIn(env, "/schedules")}
      />
    ),
  };
});

/** Whether a part of the filter is empty, or all of it is missing: the question would be about more than was chosen. */
function hasLostFilter(params: Readonly<Record<string, string | undefined>>): boolean {
  const given = ["status", "q", "range", "from", "to", ...FILTER_NAMES].flatMap((name) => params[name] ?? []);
  return given.some((text) => text.trim() === "") || (params.matching === "1" && given.length === 0);
}

/** The fields of the form: without a filter it says that all are meant. */
function scopeFields(filter: Readonly<Record<string, string | undefined>>) {
  const isFiltered = Object.values(filter).some((text) => text !== undefined);
  return { ...filter, ...(isFiltered ? { matching: "1" } : { all: "1" }) };
}

const ONE = { sort: "-created_at" as const, limit: 1, offset: 0 };
