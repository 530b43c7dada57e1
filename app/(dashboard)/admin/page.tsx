import { AccountList } from "#components/admin/account-list.tsx";
import { DispatcherTable } from "#components/admin/dispatcher-table.tsx";
import { QueueCard } from "#components/admin/queue-card.tsx";
import { ServiceLateness } from "#components/admin/service-lateness.tsx";
import { AutoRefresh } from "#components/layout/auto-refresh.tsx";
import { FormOutcome } from "#components/ui/form-outcome.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { PLAN_NAMES } from "#domain/plans.ts";
import { listAllAccounts } from "#server/admin/list-accounts.ts";
import { readDispatchers } from "#server/admin/read-fleet.ts";
import { readQueue } from "#server/admin/read-queue.ts";
import { readHeldSnapshot } from "#server/admin/read-snapshot.ts";
import { readLastPunctuality } from "#server/overview/punctuality.ts";
import { hrefIn, hrefWith, type View } from "../view.ts";
import { adminPage } from "./admin-page.tsx";

const STATUSES = ["active", "deactivated"] as const;

export default adminPage("/admin", async ({ admin, view }) => {
  const { q, plan, status, after, error } = view.params;
  const filter = {
    q,
    plan: PLAN_NAMES.find((name) => name === plan),
    status: STATUSES.find((name) => name === status),
  };
  const [queue, { dispatchers, shardsUnowned }, held, accounts, punctuality] = await Promise.all([
    readQueue(admin),
    readDispatchers(admin),
    readHeldSnapshot(admin),
    listAllAccounts(admin, { ...filter, after }),
    readLastPunctuality(),
  ]);
  return {
    title: "Admin",
    tools: (
      <>
        <AutoRefresh at={view.now.getTime()} href={hrefWith(view, { error: undefined })} everyS={10} />
        <TextLink standalone href={hrefIn(view.env, "/admin/log")} className="text-xs">
          Audit log
        </TextLink>
      </>
    ),
    body: (
      <>
        <FormOutcome error={error} />
        {held && <Notice kind="warn">{held}</Notice>}
        <QueueCard queue={queue} />
        <ServiceLateness figures={punctuality} />
        <DispatcherTable dispatchers={dispatchers} shardsUnowned={shardsUnowned} now={view.now} />
        <AccountList
          accounts={accounts.items}
          total={accounts.total}
          isTotalCapped={accounts.isTotalCapped}
          filter={filter}
          chips={chipsOf(view, filter)}
          env={view.env}
          accountHref={(id) => hrefIn(view.env, `/admin/accounts/${id}`)}
          resetHref={hrefIn(view.env, "/admin")}
          firstHref={after && hrefWith(view, { after: undefined })}
          nextHref={accounts.next === null ? undefined : hrefWith(view, { after: accounts.next })}
        />
      </>
    ),
  };
});

type Filter = { q: string | undefined; plan: string | undefined; status: string | undefined };

/** The active filters, each with the address of the list without it. */
function chipsOf(view: View, { q, plan, status }: Filter): { label: string; removeHref: string }[] {
  const labels = { q: q && `“${q}”`, plan: plan && `Plan: ${plan}`, status: status && `Status: ${status}` };
  return Object.entries(labels).flatMap(([name, label]) =>
    label ? [{ label, removeHref: hrefWith(view, { [name]: undefined, after: undefined, error: undefined }) }] : [],
  );
}
