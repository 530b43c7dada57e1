import { AccountFacts } from "#components/admin/account-facts.tsx";
import { AuditTable } from "#components/admin/audit-table.tsx";
import { PlanForm } from "#components/admin/plan-form.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { FormOutcome } from "#components/ui/form-outcome.tsx";
import { listAuditLog } from "#server/admin/list-audit-log.ts";
import { readAccount } from "#server/admin/read-account.ts";
import { hrefIn, hrefWith } from "../../../view.ts";
import { adminPage } from "../../admin-page.tsx";

export default adminPage("/admin/accounts/[id]", async ({ admin, view, routeParams }) => {
  const id = routeParams.id ?? "";
  const { after, error } = view.params;
  const [account, log] = await Promise.all([readAccount(admin, id), listAuditLog(admin, { accountId: id, after })]);
  const isActive = account.status === "active";
  const act = isActive ? "deactivate" : "reactivate";
  return {
    title: account.email,
    documentTitle: "Account",
    crumb: { href: hrefIn(view.env, "/admin"), label: "Admin" },
    action: (
      <ButtonLink kind={isActive ? "danger" : "primary"} href={hrefIn(view.env, `/admin/accounts/${id}/${act}`)}>
        {isActive ? "Deactivate" : "Reactivate"}
      </ButtonLink>
    ),
    body: (
      <>
        <FormOutcome message={view.flash && MESSAGES.get(view.flash.result)} error={error} words={FAILED} />
        <AccountFacts account={account} now={view.now} zone={view.zone} />
        <PlanForm action="/admin/plan" id={id} env={view.env} granted={account.grantedPlan} />
        <AuditTable
          acts={log.items}
          now={view.now}
          zone={view.zone}
          nextHref={log.next === null ? undefined : hrefWith(view, { after: log.next })}
          firstHref={after && hrefWith(view, { after: undefined })}
        />
      </>
    ),
  };
});

const MESSAGES = new Map<string, string>(
  Object.entries({
    plan: "The plan is set.",
    deactivated: "Deactivated. Its sessions have ended, its keys are refused, its schedules wait.",
    reactivated: "Reactivated. What is overdue is sent now, oldest first.",
  }),
);

const FAILED = new Map(
  Object.entries({
    CONFLICT:
      "Not done. Your own account cannot be deactivated, and an account that pays keeps its plan until the subscription ends.",
  }),
);
