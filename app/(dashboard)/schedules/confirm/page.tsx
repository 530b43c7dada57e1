import { ConfirmCard } from "#components/schedules/confirm-card.tsx";
import { OPERATION_ACTIONS } from "#domain/operations.ts";
import { parseRedirectPath } from "#domain/redirect-path.ts";
import { readUsage } from "#server/overview/usage.ts";
import { listOwnSchedules } from "#server/schedules/list.ts";
import { dashboardPage } from "../../dashboard-page.tsx";
import { hrefIn } from "../../view.ts";
import { filterParams, readScheduleListQuery } from "../list-query.ts";

export default dashboardPage("/schedules/confirm", async ({ ctx, view }) => {
  const { params, env, zone } = view;
  const action = OPERATION_ACTIONS.find((one) => one === params.action) ?? "cancel";
  const ids = params.ids?.split(",") ?? [];
  const { filter, problem } = readScheduleListQuery(params, view);
  const isAll = params.all === "1" && problem === undefined;
  const { status: statuses = null, q = null, from = null, to = null } = filter;
  const [usage, found] = await Promise.all([readUsage(ctx), isAll && listOwnSchedules(ctx, { ...filter, ...ONE })]);
  const scope = isAll ? { all: "1", ...filterParams(filter) } : { ids: ids.join(",") };
  return {
    title: action === "cancel" ? "Cancel schedules" : "Replay schedules",
    crumb: { href: hrefIn(env, "/schedules"), label: "Schedules" },
    narrow: true,
    body: (
      <ConfirmCard
        action={action}
        count={found ? found.total : ids.length}
        isCapped={found ? found.totalCapped : false}
        filter={isAll ? { statuses, q, from, to } : null}
        {...{ zone, usage, error: params.error }}
        formAction="/schedules/start"
        // The form key makes a repeated submit idempotent.
        fields={{ action, ...scope, key: params.key ?? crypto.randomUUID(), env, back: params.back }}
        backHref={parseRedirectPath(params.back ?? "") ?? hrefIn(env, "/schedules")}
      />
    ),
  };
});

const ONE = { sort: "-created_at" as const, limit: 1, offset: 0 };
